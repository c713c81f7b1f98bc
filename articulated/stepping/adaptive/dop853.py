"""The Runge-Kutta method of order eight by Dormand and Prince, DOP853, for motions without events: "dop853".

Twelve stages and the end of the step, steps divided as :mod:`~pluecker.articulated.stepping.adaptive.adaptive` divides them.
Two embedded methods, of orders five and three, estimate the error:

    e = e_5^2 / (e_5^2 + 0.01 e_3^2)^(1/2)        h' = h clip(0.9 e^(-1/8), 0.2, 5)

Sources: Hairer, Norsett and Wanner (1993), section II.5 with the coefficients, section II.10 with the error.
"""

from __future__ import annotations

from typing import Any

from pluecker.articulated.model.layout import velocity_count
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.algorithm import Algorithm
from pluecker.articulated.running.arguments import Array
from pluecker.articulated.stepping.adaptive.adaptive import adaptive_kernel, rate_kernel
from pluecker.articulated.stepping.adaptive.events import NOTHING
from pluecker.articulated.stepping.adaptive.pair import Pair, combination, memory_kernel, tolerance, worse
from pluecker.articulated.stepping.explicit.motion_rate import SOLVERS
from pluecker.articulated.stepping.terms.integrator import Integrator
from pluecker.articulated.stepping.terms.stage import stage_workspace
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.scalars.operations import load

__all__ = ["DOP853"]

STAGES = 13  # the last one is the end of the step


def filled(*shares: float) -> tuple[float, ...]:
    """Fill the shares of a stage up with zeros for the stages that follow."""
    return (*shares, *((STAGES - 1 - len(shares)) * (0.0,)))


# of the step
NODES = (
    0.0,
    0.05260015195876773,
    0.0789002279381516,
    0.1183503419072274,
    0.2816496580927726,
    0.3333333333333333,
    0.25,
    0.3076923076923077,
    0.6512820512820513,
    0.6,
    0.8571428571428571,
    1.0,
    1.0,
)
# of the rates before, in the displacement of each stage; the last row is the method itself
SHARES = (
    filled(),
    filled(
        0.05260015195876773,
    ),
    filled(
        0.0197250569845379,
        0.0591751709536137,
    ),
    filled(
        0.02958758547680685,
        0.0,
        0.08876275643042054,
    ),
    filled(
        0.2413651341592667,
        0.0,
        -0.8845494793282861,
        0.924834003261792,
    ),
    filled(
        0.037037037037037035,
        0.0,
        0.0,
        0.17082860872947386,
        0.12546768756682242,
    ),
    filled(
        0.037109375,
        0.0,
        0.0,
        0.17025221101954405,
        0.06021653898045596,
        -0.017578125,
    ),
    filled(
        0.03709200011850479,
        0.0,
        0.0,
        0.17038392571223998,
        0.10726203044637328,
        -0.015319437748624402,
        0.008273789163814023,
    ),
    filled(
        0.6241109587160757,
        0.0,
        0.0,
        -3.3608926294469414,
        -0.868219346841726,
        27.59209969944671,
        20.154067550477894,
        -43.48988418106996,
    ),
    filled(
        0.47766253643826434,
        0.0,
        0.0,
        -2.4881146199716677,
        -0.590290826836843,
        21.230051448181193,
        15.279233632882423,
        -33.28821096898486,
        -0.020331201708508627,
    ),
    filled(
        -0.9371424300859873,
        0.0,
        0.0,
        5.186372428844064,
        1.0914373489967295,
        -8.149787010746927,
        -18.52006565999696,
        22.739487099350505,
        2.4936055526796523,
        -3.0467644718982196,
    ),
    filled(
        2.273310147516538,
        0.0,
        0.0,
        -10.53449546673725,
        -2.0008720582248625,
        -17.9589318631188,
        27.94888452941996,
        -2.8589982771350235,
        -8.87285693353063,
        12.360567175794303,
        0.6433927460157636,
    ),
    filled(
        0.054293734116568765,
        0.0,
        0.0,
        0.0,
        0.0,
        4.450312892752409,
        1.8915178993145003,
        -5.801203960010585,
        0.3111643669578199,
        -0.1521609496625161,
        0.20136540080403034,
        0.04471061572777259,
    ),
)
# of each stage in the differences of the methods of orders five and three
FIFTH = (
    0.01312004499419488,
    0.0,
    0.0,
    0.0,
    0.0,
    -1.2251564463762044,
    -0.4957589496572502,
    1.6643771824549864,
    -0.35032884874997366,
    0.3341791187130175,
    0.08192320648511571,
    -0.022355307863886294,
    0.0,
)
THIRD = (
    -0.18980075407240762,
    0.0,
    0.0,
    0.0,
    0.0,
    4.450312892752409,
    1.8915178993145003,
    -5.801203960010585,
    -0.4226823213237919,
    -0.1521609496625161,
    0.20136540080403034,
    0.02265179219836082,
    0.0,
)

memory_of = memory_kernel(STAGES)


@kernel
def difference(weights, nv, k, h, rates):
    """Compute the size of an embedded method's difference in entry ``k`` at the end"""
    total = 0.0
    for j in range(STAGES):
        total += weights[j] * load(rates, nv * j + k)
    return abs(h * total)


@kernel
def error_of(m, c, h, v, ws):
    """Compute the error of a trial, as a share of the tolerance"""
    nv, fifth, third, tol = velocity_count(m), 0.0, 0.0, tolerance(c)
    p = memory_of(m, c, ws)
    for k in range(nv):
        y, z = tol * (1.0 + abs(load(p.u, k))), tol * (1.0 + max(abs(load(v, k)), abs(load(p.x, k))))
        fifth = worse(
            worse(fifth, difference(FIFTH, nv, k, h, p.rates_u) / y), difference(FIFTH, nv, k, h, p.rates_v) / z
        )
        third = worse(
            worse(third, difference(THIRD, nv, k, h, p.rates_u) / y), difference(THIRD, nv, k, h, p.rates_v) / z
        )
    if fifth == 0.0:
        return fifth
    return fifth / (1.0 + 0.01 * (third / fifth) ** 2) ** 0.5


PAIR = Pair(8, NODES, memory_of, combination(SHARES), error_of)


@kernel
def find_nothing(m, c, s, dt, given, q, v, ws):
    """Find no event: there are no rows"""
    return 2.0, 0, NOTHING


@kernel
def strike_nothing(m, c, row, what, q, v, ws):
    """Do nothing: there are no events"""


def dop853(solver: Algorithm, **options: Any) -> Integrator:
    """Make the integrator with that algorithm for accelerations."""

    def workspace(model: Model, scenario: Array) -> int:
        forces = model.nv + 6 * model.n_bodies + max(stage_workspace(model), int(solver.workspace(model)))
        return (5 + 2 * STAGES) * model.nv + model.nq + len(model.packed) + forces

    return Integrator(
        "dop853",
        order=8,
        step=adaptive_kernel(PAIR, rate_kernel(solver), find_nothing, strike_nothing),
        workspace=workspace,
        memory=lambda model, scenario: 1,
        lanes=False,
        **options,
    )


DOP853 = dop853(SOLVERS[False], with_mimic=dop853(SOLVERS[True], listed=False))
