"""Singular inertias: a joint that moves no inertia is named, and forward dynamics is right where inertias only differ much.

The limit is rounding error, of the inertias from which the recursion has subtracted: what hangs beyond counts as the joints
let it act, not as if it were rigid. Long chains are compared with the same recursion in 80 bits, which only its kernel has.
"""

import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from pluecker.articulated import (
    Model,
    ModelBuilder,
    SingularInertiaError,
    aba,
    factorize,
    integrate,
    minv,
    neutral,
    rnea,
)
from pluecker.articulated.algorithms.dynamics.aba import FREEDOM, LINK, aba_kernel
from tests.conftest import COMPILED
from tests.mechanisms import random_body, random_rotation
from tests.models import one_body

TOP = Path(__file__).resolve().parents[3]
USES = {
    "aba": lambda model, q: aba(model, q, np.zeros(model.nv), np.ones(model.nv)),
    "factorize": factorize,
    "minv": minv,
}  # of the inverse of the inertia matrix
by_all = pytest.mark.parametrize("name", USES)


# ------------------------------------------------------------------------------------------------------------- singular


def massless(**options):
    builder = ModelBuilder("hand")
    builder.add_body("palm", mass=1.0, inertia=[1, 1, 1])
    builder.add_body("finger")
    builder.add_joint("wrist", "revolute", "world", "palm", axis=(0, 0, 1))
    builder.add_joint("knuckle", "revolute", "palm", "finger", axis=(0, 0, 1), **options)
    return builder.build()


def test_a_joint_that_moves_no_mass_is_named_and_nothing_is_written():
    model, out = massless(), np.full((3, 2), 7.0)
    with pytest.raises(SingularInertiaError, match=r"aba: the inertia matrix is singular.*'knuckle' moves no mass"):
        aba(model, np.zeros((3, 2)), [0, 0], [0, 0], out=out)
    assert (out == 7.0).all()
    assert np.isfinite(rnea(model, [0, 0], [0, 0], [0, 0])).all()
    assert np.isfinite(aba(massless(armature=0.1), [0, 0], [0, 0], [0, 0])).all()


@by_all
def test_all_joints_that_move_no_mass_are_named(name):
    builder = ModelBuilder("hand")
    builder.add_body("palm", mass=1.0, inertia=[1, 1, 1])
    builder.add_joint("wrist", "revolute", "world", "palm", axis=(0, 0, 1))
    for finger in ("thumb", "index"):
        builder.add_body(finger)
        builder.add_joint(f"{finger}_joint", "revolute", "palm", finger, axis=(0, 0, 1))
    model = builder.build()
    with pytest.raises(SingularInertiaError, match="'thumb_joint', 'index_joint' move no mass"):
        USES[name](model, np.zeros(3))
    USES[name](model.replace(armature=0.1), np.zeros(3))


@pytest.mark.parametrize("position", [(0.0, 0.0, 0.0), (0.0, 0.0, 0.7)], ids=["at the origin", "on the axis"])
def test_a_point_mass_on_its_axis_is_singular_too(position):
    with pytest.raises(SingularInertiaError, match="'spin' moves no inertia in this configuration"):
        aba(one_body("point", "revolute", 3.0, position, joint="spin", axis=(0, 0, 1)), [0.3], [0.0], [1.0])


def chain_of(*joints, load, rng=None):
    """Massless bodies, each on a joint given by its type and axis, and at the end a load, held by the last joint."""
    builder = ModelBuilder()
    parent = "world"
    for k, (kind, axis) in enumerate(joints):
        data = load if k == len(joints) - 1 else {}
        builder.add_body(f"b{k}", **data)
        options = {} if axis is None else {"axis": axis}
        if rng is not None and k == 0:
            options |= {"position": rng.normal(size=3), "rotation": random_rotation(rng)}
        builder.add_joint(f"j{k}", kind, parent, f"b{k}", **options)
        parent = f"b{k}"
    return builder.build()


X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
POINT = {"mass": 2.0, "center_of_mass": (0.3, -0.4, 0.5)}
BODY = random_body(np.random.default_rng(8))
SINGULAR = {
    "two coaxial hinges": ([("revolute", Z), ("revolute", Z)], BODY),
    "two coaxial hinges about an oblique axis": ([("revolute", (1, 2, 3)), ("revolute", (-1, -2, -3))], BODY),
    "two parallel slides": ([("prismatic", Y), ("prismatic", Y)], BODY),
    "a point mass on three axes": ([("revolute", X), ("revolute", Y), ("revolute", Z)], POINT),
    "a point mass on a ball joint": ([("spherical", None)], POINT),
    "two concentric ball joints": ([("spherical", None), ("spherical", None)], BODY),
    "four axes through one point": ([("revolute", X), ("revolute", Y), ("revolute", Z), ("revolute", (1, 1, 1))], BODY),
    "four directions to slide": (
        [("prismatic", X), ("prismatic", Y), ("prismatic", Z), ("prismatic", (1, 1, 1))],
        BODY,
    ),
    "a hinge beside a ball joint": ([("revolute", (1, 1, 0)), ("spherical", None)], BODY),
    "a ball joint on the free": ([("free", None), ("spherical", None)], BODY),
    "a universal and a hinge in line": ([("revolute", X), ("revolute", Y), ("revolute", X)], BODY),
}


@by_all
@pytest.mark.parametrize("case", SINGULAR)
def test_singular_mechanisms_are_refused_and_a_joint_is_named(case, name):
    """Wherever they stand, alone and among other states; the last two axes are in line where the angles are zero."""
    joints, load = SINGULAR[case]
    for seed in range(5):
        model = chain_of(*joints, load=load, rng=np.random.default_rng(seed))
        q = neutral(model)
        for given in (q, np.repeat(q[None], 3, axis=0)):
            with pytest.raises(SingularInertiaError, match=rf"{name}: .*singular.*: 'j\d[^']*' moves no inertia"):
                USES[name](model, given)


@by_all
def test_a_singular_configuration_among_others_is_found_and_its_joint_named(name):
    """A gimbal whose outer and inner axes are aligned in one state only."""
    model = chain_of(("revolute", Z), ("revolute", Y), ("revolute", Z), load={"mass": 1.0, "inertia": [1, 2, 2.5]})
    q = np.array([[0.1, 0.5, 0.2], [0.3, 0.0, 0.4], [0.1, -0.5, 0.2]])
    USES[name](model, q[[0, 2]])
    with pytest.raises(SingularInertiaError, match=f"{name}: .* in state 1 of the batch: 'j0' moves no inertia"):
        USES[name](model, q)
    with pytest.raises(SingularInertiaError, match=f"{name}: the inertia matrix is singular: 'j0' moves no inertia"):
        USES[name](model, q[1])


@by_all
def test_a_coordinate_that_mimic_joints_share_is_named_too(name):
    builder = ModelBuilder()
    for body in "abc":
        builder.add_body(body, **({"mass": 1.0, "inertia": [1, 1, 1]} if body == "a" else {}))
    builder.add_joint("shoulder", "revolute", "world", "a", axis=Z)
    builder.add_joint("finger", "revolute", "a", "b", axis=Z)
    builder.add_joint("thumb", "revolute", "a", "c", axis=Z, mimic=("finger", -1.0, 0.0))
    with pytest.raises(SingularInertiaError, match="'finger' moves no mass"):
        USES[name](builder.build(), [0.1, 0.2])


# -------------------------------------------------------------------------------------------------- far apart, not singular


def rods(n: int, tip: float = 0.0, mass: float = 1.0, radius: float = 0.01) -> Model:
    """Rods of one metre on ball joints, end to end, and a compact body at the tip."""
    builder = ModelBuilder()
    parent = "world"
    across = mass * (3.0 * radius**2 + 1.0) / 12.0
    for k in range(n):
        builder.add_body(f"b{k}", mass=mass, center_of_mass=(0.5, 0, 0), inertia=[mass * radius**2 / 2, across, across])
        builder.add_joint(f"j{k}", "spherical", parent, f"b{k}", position=(1.0 if k else 0.0, 0, 0))
        parent = f"b{k}"
    if tip:
        builder.add_body("tip", mass=tip, inertia=[0.1 * tip] * 3)
        builder.add_joint("hook", "fixed", parent, "tip", position=(1, 0, 0))
    return builder.build()


def in_80_bits(model, q, v, tau):
    """The kernel itself on NumPy's long doubles, in a process that compiles nothing."""
    if COMPILED:
        code = "import pickle, sys; from tests.articulated.algorithms.test_singular import in_80_bits as f; "
        code += "pickle.dump(f(*pickle.load(sys.stdin.buffer)), sys.stdout.buffer)"
        environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(TOP)}
        given = pickle.dumps((model, q, v, tau))
        done = subprocess.run(
            [sys.executable, "-c", code], input=given, env=environment, capture_output=True, check=True
        )
        return pickle.loads(done.stdout)
    out = np.zeros(model.nv, np.longdouble)
    ws = np.zeros(LINK * (model.n_links + 1) + FREEDOM * model.nv, np.longdouble)
    aba_kernel(model.packed, *(np.asarray(x, np.longdouble) for x in (q, v, tau, [])), out, ws)
    return out


LONG = [pytest.mark.slow, pytest.mark.everything]


@pytest.mark.skipif(np.finfo(np.longdouble).eps > 1e-18, reason="long doubles are no more than doubles here")
@pytest.mark.parametrize(
    "chain",
    [
        pytest.param(lambda: rods(40, tip=1e4, mass=2.5), id="40 m of cable with 10 t at its end"),
        pytest.param(lambda: rods(200, tip=5e4, mass=2.5), id="200 m of cable with 50 t at its end", marks=LONG),
        pytest.param(lambda: rods(1500), id="1500 rods", marks=LONG),
    ],
)
def test_long_chains_are_right_to_nine_digits(chain):
    model = chain()
    rng = np.random.default_rng(1)
    q = integrate(model, neutral(model), 0.1 * rng.normal(size=model.nv))
    v, tau = 0.1 * rng.normal(size=model.nv), rng.normal(size=model.nv)
    found, exact = aba(model, q, v, tau), in_80_bits(model, q, v, tau)
    assert np.abs(found - exact).max() < 1e-9 * np.abs(exact).max()
    batch = aba(model, np.stack([q] * 2), v, tau)
    assert np.abs(batch - exact).max() < 1e-9 * np.abs(exact).max()
