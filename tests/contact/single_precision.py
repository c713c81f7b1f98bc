"""Problems whose matrices single precision holds as they are: what is computed with them can be compared to rounding."""

from __future__ import annotations

import numpy as np

from pluecker.contact.problem.prepared import Prepared
from pluecker.contact.sparse.interleaved import HEIGHT, WIDTH

__all__ = ["in_single_precision"]


def in_single_precision(P: Prepared) -> Prepared:
    """The same with the factor J rounded; T is J, or where it was another, J M^-1 with powers of two in M."""
    J, T = P.A.J, P.A.T
    J = J._replace(data=J.data.astype(np.float32).astype(float))
    inverse = 0.5 ** (np.arange(WIDTH)[None, :] % 2 + J.column[:, None] % 3)
    other = J._replace(data=(J.data.reshape(-1, HEIGHT, WIDTH) * inverse[:, None, :]).reshape(-1))
    return P._replace(A=P.A._replace(J=J, T=J if T is P.A.J else other))
