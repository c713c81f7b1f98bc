"""The Runge-Kutta pair of orders five and four of Dormand and Prince, with its dense output.

From the rates of its seven stages follow the end of a trial, the difference of both orders, and the state at any time in
between, to order four.

Sources: Dormand, Prince (1980); Shampine, "Some practical Runge-Kutta formulas" (1986) for the dense output; Hairer, Norsett
and Wanner (1993), sections II.5 and II.6; Munthe-Kaas (1999).
"""

from pluecker.articulated.model.layout import velocity_count
from pluecker.articulated.stepping.adaptive.pair import Pair, combination, memory_kernel, tolerance, worse
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.scalars.operations import load

__all__ = ["ERROR", "NODES", "PAIR", "SHARES", "STAGES", "WEIGHTS", "between", "difference_of_orders", "memory_of"]

STAGES = 7
NODES = (0.0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1.0, 1.0)
# of the rates before, in the displacement of each stage; the last stage is the end of the step
SHARES = (
    (0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
    (1 / 5, 0.0, 0.0, 0.0, 0.0, 0.0),
    (3 / 40, 9 / 40, 0.0, 0.0, 0.0, 0.0),
    (44 / 45, -56 / 15, 32 / 9, 0.0, 0.0, 0.0),
    (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729, 0.0, 0.0),
    (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656, 0.0),
    (35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84),
)
# of each stage in the difference of both orders
ERROR = (-71 / 57600, 0.0, 71 / 16695, -71 / 1920, 17253 / 339200, -22 / 525, 1 / 40)
# of each stage at the time x h, as a polynomial  x (w_0 + w_1 x + w_2 x^2 + w_3 x^3)
WEIGHTS = (
    (1.0, -8048581381 / 2820520608, 8663915743 / 2820520608, -12715105075 / 11282082432),
    (0.0, 0.0, 0.0, 0.0),
    (0.0, 131558114200 / 32700410799, -68118460800 / 10900136933, 87487479700 / 32700410799),
    (0.0, -1754552775 / 470086768, 14199869525 / 1410260304, -10690763975 / 1880347072),
    (0.0, 127303824393 / 49829197408, -318862633887 / 49829197408, 701980252875 / 199316789632),
    (0.0, -282668133 / 205662961, 2019193451 / 616988883, -1453857185 / 822651844),
    (0.0, 40617522 / 29380423, -110615467 / 29380423, 69997945 / 29380423),
)


memory_of = memory_kernel(STAGES)


@kernel
def between(nv, k, x, h, rates):
    """Evaluate the dense output: the change of entry ``k`` from the start of the step to the time x h"""
    total = 0.0
    for j in range(STAGES):
        w = WEIGHTS[j]
        total += x * (w[0] + x * (w[1] + x * (w[2] + x * w[3]))) * load(rates, nv * j + k)
    return h * total


@kernel
def difference_of_orders(nv, k, h, rates):
    """Compute the difference of both orders in entry ``k`` at the end"""
    total = 0.0
    for j in range(STAGES):
        total += ERROR[j] * load(rates, nv * j + k)
    return h * total


@kernel
def error_of(m, c, h, v, ws):
    """Compute the largest difference of both orders, as a share of the tolerance"""
    nv, worst, tol = velocity_count(m), 0.0, tolerance(c)
    p = memory_of(m, c, ws)
    for k in range(nv):
        e = abs(difference_of_orders(nv, k, h, p.rates_u)) / (tol * (1.0 + abs(load(p.u, k))))
        d = abs(difference_of_orders(nv, k, h, p.rates_v)) / (tol * (1.0 + max(abs(load(v, k)), abs(load(p.x, k)))))
        worst = worse(worse(worst, e), d)
    return worst


PAIR = Pair(5, NODES, memory_of, combination(SHARES), error_of)
