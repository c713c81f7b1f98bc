"""Contacts between the shapes of a world in a configuration: where they touch, or may touch."""

from __future__ import annotations

from pluecker.articulated.model.layout import link_count
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.algorithm import Algorithm
from pluecker.articulated.running.fields import Field
from pluecker.contact.rows.layout import TOUCH_SLOT
from pluecker.contact.rows.motion import PLACE, place_links
from pluecker.contact.rows.packing import Packed
from pluecker.contact.rows.touching import touch_pairs
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.scalars.operations import load, store, tail

__all__ = ["TOUCHING_AT"]


@kernel
def touching_kernel(m, w, q, out, ws):
    """Store the slots of all pairs"""
    X = tail(ws, len(w))
    place_links(m, q, X)
    touch_pairs(w, X, ws)
    for k in range(len(out)):
        store(out, k, load(X, PLACE * (link_count(m) + 1) + k))


def workspace(model: Model, packed: Packed) -> int:
    """Compute the size of the workspace; the gaps of normals, which the kernel does not need, go before the places
    of links.
    """
    return len(packed.array) + PLACE * (model.n_links + 1) + packed.touching_numbers


TOUCHING_AT = Algorithm(
    "World.contacts",
    touching_kernel,
    inputs=("q",),
    outputs=(Field("slots", (lambda model, packed: packed.n_slots, TOUCH_SLOT)),),
    constants=lambda model, packed: packed.array,
    workspace=workspace,
    listed=False,
)
