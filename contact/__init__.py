"""Worlds: mechanisms with loops, limits and drives; and contacts with friction as one problem, any law, any solver.

================================================  ====================================================================
task or subject                                   names
================================================  ====================================================================
mechanisms with loops, limits, drives             ``World``, ``constraints``
their accelerations, steps, motions               ``World.accelerations``, ``.start``, ``.step``, ``.simulate``
contacts of a step, with their forces             ``WorldStep.contacts``, ``contacts_at`` -> ``ContactForces``
each body by itself: maximal coordinates          ``World.maximal``
shapes, distances, contacts between shapes        ``geometry``
bodies, contacts, rows as tables                  ``Bodies``, ``ContactTable``, ``Rows``, ``assemble_contacts``
soft contact; Poisson's restitution               ``soft_contact``, ``poisson_restitution``
a problem from a matrix, from factors, a file     ``Problem``, ``read_fclib``, ``write_fclib``, ``read_siconos``
solve a problem                                   ``solve`` -> ``Result``, ``UnsolvedError``
solve problems of the same pattern repeatedly     ``Solver``
Coulomb's law with a polygon, as an LCP           ``friction_lcp``, ``mixed_lcp``
plain linear complementarity problems             ``solve_lcp`` -> ``LcpResult``
judge multipliers of your own                     ``errors_of`` -> ``Errors``
open, sticking, sliding, undetermined             ``Result.contact_states``, ``CONTACT_STATES``
methods side by side; pictures                    ``compare_methods``, ``plot_convergence``
worlds and problems for property tests            :mod:`~pluecker.contact.strategies`
================================================  ====================================================================

================================================  ====================================================================
subpackage                                        contents
================================================  ====================================================================
``app``                                           methods side by side, pictures, the command
``world``                                         ``World``: steps and motions, contacts of these, pictures, files
``mechanisms``                                    a model and constraints as a record: accelerations, closing, free bodies
``found``                                         steps of worlds whose contacts are found anew in each step
``stepping``, ``instants``                        steps of worlds; accelerations, impacts and efforts
``rows``                                          functions of the configuration, Jacobian, laws of rows: kernels
``geometry``                                      shapes, distances, contacts between shapes: kernels of pairs
``constraints``                                   records of joints, gears, limits, motors; their functions and rows
``friction``                                      problems of friction, and what solves them: a wing of its own
``arguments``                                     checks of what users give: single values, names, records
================================================  ====================================================================

Laws: ``frictionless``, ``lcp``, ``ccp``, ``ncp``, see :mod:`~pluecker.contact.friction.problem.problem`. Methods: see
:mod:`~pluecker.contact.friction.solving.methods`. Errors: see :mod:`~pluecker.contact.friction.results.measures`. Imports
between subpackages point from each line of that table to those below it.
"""

from __future__ import annotations

from pluecker.contact import constraints, geometry
from pluecker.contact.app.comparison import compare_methods
from pluecker.contact.app.convergence import plot_convergence
from pluecker.contact.errors import (
    ClosureError,
    ConstraintError,
    FileError,
    GeometryError,
    MemoryWarning,
    ProblemError,
    UnsolvedError,
)
from pluecker.contact.friction.files.fclib import (
    Solution,
    read_fclib,
    read_fclib_guesses,
    read_fclib_solution,
    write_fclib,
)
from pluecker.contact.friction.files.siconos import read_siconos
from pluecker.contact.friction.lcp.polygon import FrictionLcp, MixedLcp, friction_lcp, mixed_lcp
from pluecker.contact.friction.lcp.solve_lcp import LcpResult, solve_lcp
from pluecker.contact.friction.problem.problem import LAWS, Problem
from pluecker.contact.friction.results.measures import Errors
from pluecker.contact.friction.results.result import Result, Stage
from pluecker.contact.friction.results.states import CONTACT_STATES
from pluecker.contact.friction.solving.methods import METHODS
from pluecker.contact.friction.solving.restitution import PoissonImpact, poisson_restitution
from pluecker.contact.friction.solving.solve import errors_of, solve
from pluecker.contact.friction.solving.solver import Solver
from pluecker.contact.friction.tables.assembly import assemble_contacts
from pluecker.contact.friction.tables.bodies import Bodies
from pluecker.contact.friction.tables.table import ContactTable, Rows, SoftContact, contact_frames, soft_contact
from pluecker.contact.instants.inverse import Effort
from pluecker.contact.instants.rows_at import RowsAt
from pluecker.contact.mechanisms.closing import Closed
from pluecker.contact.mechanisms.errors_at import ErrorsAt
from pluecker.contact.mechanisms.instants import ConstrainedAcceleration, Impact
from pluecker.contact.mechanisms.maximal import Maximal
from pluecker.contact.mechanisms.reactions import ConstraintHandle, Determination
from pluecker.contact.world.contact_forces import ContactForces
from pluecker.contact.world.memory import WorldMemory, WorldState
from pluecker.contact.world.simulation import WorldStep, WorldTrajectory
from pluecker.contact.world.world import World

__all__ = [
    "CONTACT_STATES",
    "LAWS",
    "METHODS",
    "Bodies",
    "Closed",
    "ClosureError",
    "ConstrainedAcceleration",
    "ConstraintError",
    "ConstraintHandle",
    "ContactForces",
    "ContactTable",
    "Determination",
    "Effort",
    "Errors",
    "ErrorsAt",
    "FileError",
    "FrictionLcp",
    "GeometryError",
    "Impact",
    "LcpResult",
    "Maximal",
    "MemoryWarning",
    "MixedLcp",
    "PoissonImpact",
    "Problem",
    "ProblemError",
    "Result",
    "Rows",
    "RowsAt",
    "SoftContact",
    "Solution",
    "Solver",
    "Stage",
    "UnsolvedError",
    "World",
    "WorldMemory",
    "WorldState",
    "WorldStep",
    "WorldTrajectory",
    "assemble_contacts",
    "compare_methods",
    "constraints",
    "contact_frames",
    "errors_of",
    "friction_lcp",
    "geometry",
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
    "write_fclib",
]
