"""Maximal coordinates: contacts with friction as one problem, any law, any solver, and how exact the answer is.

================================================  ====================================================================
what                                              where
================================================  ====================================================================
bodies, contacts, rows as tables                  ``Bodies``, ``ContactTable``, ``Rows``, ``assemble_contacts``
soft contact; Poisson's restitution               ``soft_contact``, ``poisson_restitution``
a problem from a matrix, from factors, a file     ``Problem``, ``read_fclib``, ``write_fclib``, ``read_siconos``
solve it                                          ``solve`` -> ``Result``
Coulomb's law with a polygon, as an LCP           ``friction_lcp``, ``mixed_lcp``
plain linear complementarity problems             ``solve_lcp`` -> ``LcpResult``
judge multipliers of your own                     ``errors_of`` -> ``Errors``
open, sticking, sliding, undetermined             ``Result.contact_states``, ``CONTACT_STATES``
methods side by side; pictures                    ``compare_methods``, ``plot_convergence``
compile all of it ahead                           ``warmup``
================================================  ====================================================================

Laws: ``frictionless``, ``lcp``, ``ccp``, ``ncp``, see :mod:`~pluecker.contact.problem`. Methods: see
:mod:`~pluecker.contact.solve`. Errors: see :mod:`~pluecker.contact.measures`.
"""

from __future__ import annotations

from pluecker.contact.assembly import assemble_contacts
from pluecker.contact.bodies import Bodies
from pluecker.contact.comparison import compare_methods
from pluecker.contact.convergence import plot_convergence
from pluecker.contact.errors import FileError, ProblemError
from pluecker.contact.fclib import Solution, read_fclib, read_fclib_guesses, read_fclib_solution, write_fclib
from pluecker.contact.lcp import LcpResult, solve_lcp
from pluecker.contact.measures import Errors
from pluecker.contact.polygon import FrictionLcp, MixedLcp, friction_lcp, mixed_lcp
from pluecker.contact.problem import LAWS, Problem
from pluecker.contact.restitution import PoissonImpact, poisson_restitution
from pluecker.contact.result import Result, Stage
from pluecker.contact.siconos import read_siconos
from pluecker.contact.solve import METHODS, errors_of, solve
from pluecker.contact.states import CONTACT_STATES
from pluecker.contact.table import ContactTable, Rows, SoftContact, contact_frames, soft_contact
from pluecker.contact.warmup import warmup
from pluecker.spatial.extras import MissingExtraError

__all__ = [
    "CONTACT_STATES",
    "LAWS",
    "METHODS",
    "Bodies",
    "ContactTable",
    "Errors",
    "FileError",
    "FrictionLcp",
    "LcpResult",
    "MissingExtraError",
    "MixedLcp",
    "PoissonImpact",
    "Problem",
    "ProblemError",
    "Result",
    "Rows",
    "SoftContact",
    "Solution",
    "Stage",
    "assemble_contacts",
    "compare_methods",
    "contact_frames",
    "errors_of",
    "friction_lcp",
    "mixed_lcp",
    "plot_convergence",
    "poisson_restitution",
    "read_fclib",
    "read_fclib_guesses",
    "read_fclib_solution",
    "read_siconos",
    "soft_contact",
    "solve",
    "solve_lcp",
    "warmup",
    "write_fclib",
]
