"""Derivatives by dual numbers: against finite differences, and the laws that they obey.

Without compilation they are compared with the complex step, to all digits: ``test_complex_step.py``. Central differences of
step 1e-6 have errors of 1e-12 and of 1e-16 / 1e-6 of the values.
"""

from __future__ import annotations

import inspect
import itertools

import numpy as np
import pytest

import pluecker.articulated
from pluecker.articulated import (
    ModelBuilder,
    PointSpring,
    SingularInertiaError,
    TorsionSpring,
    aba,
    aba_derivatives,
    bias_force,
    crba,
    derivative_of,
    forward_kinematics,
    gravity_force,
    integrate,
    minv,
    potential_energy,
    rnea,
    rnea_derivatives,
    second_derivative_of,
)
from pluecker.spatial import ArgumentTypeError, ArgumentValueError, UnknownNameError
from tests.articulated.model.test_mimic import build as build_for_mimic
from tests.articulated.slopes import CLOSE, slope
from tests.conftest import COMPILED
from tests.mechanisms import MOVING, random_description, random_state
from tests.models import one_body

# Each has to be compiled for dual numbers. These have an order, two configurations, and a key; most tests take the first.
COMPILED_HERE = (
    "kinetic_energy",
    *(pytest.param(name, marks=pytest.mark.everything) for name in ("crba", "difference", "frame_placement")),
)
# Without compilation, joints of every native kind.
KINDS = MOVING if COMPILED else ("free", "spherical", "exponential", "helical", "universal")
not_compiled = pytest.mark.skipif(COMPILED, reason="each algorithm takes seconds to compile for dual numbers")
in_everything = [pytest.mark.plain]


def on_arrays():
    """The public functions of arrays, by name."""
    found = {}
    for name in pluecker.articulated.__all__:
        function = getattr(pluecker.articulated, name)
        if inspect.isfunction(function) and {"out", "threads"} <= set(inspect.signature(function).parameters):
            found[name] = function
    return found


def is_differentiable(name):
    try:
        derivative_of(name)
    except UnknownNameError:
        return False
    return True


DIFFERENTIABLE = [name for name in on_arrays() if is_differentiable(name)]


@pytest.fixture(scope="module", params=["all joint types", "mimic joints"])
def model(request):
    if request.param == "mimic joints":
        return build_for_mimic(mimic=True)
    return random_description(2, len(KINDS), kinds=KINDS).build()


def arguments(name, model, count=None, seed=0):
    """The arguments that an algorithm has no default for, and ``f_ext``, by name."""
    rng = np.random.default_rng(seed)
    states = random_state(model, seed, count or 1)
    states["q0"], states["q1"] = states["q"], random_state(model, seed + 1, count or 1)["q"]
    states["x"] = rng.normal(size=(count or 1, model.nv))
    states["point"] = rng.normal(size=(count or 1, 3))
    given = {}
    for key, parameter in inspect.signature(getattr(pluecker.articulated, name)).parameters.items():
        if key in states and (parameter.default is inspect.Parameter.empty or key in ("f_ext", "point")):
            given[key] = states[key] if count else states[key][0]
    if "frame" in inspect.signature(getattr(pluecker.articulated, name)).parameters:
        given["frame"] = model.body_names[-1]
        if "reference" in inspect.signature(getattr(pluecker.articulated, name)).parameters:
            given["reference"] = model.body_names[0]
    if "elements" in inspect.signature(getattr(pluecker.articulated, name)).parameters:
        ends = model.body_names[0], model.body_names[-1]
        given["elements"] = [PointSpring(*ends, stiffness=3.0, damping=0.5), TorsionSpring(*ends, stiffness=2.0)]
    return given


def results_of(found):
    """Return a list of results, each with all its columns in one array."""
    several = isinstance(found[0], tuple)
    return [np.concatenate(part, axis=-1) for part in (found if several else [found])]


# ----------------------------------------------------------------------------------------------------- any algorithm


@pytest.mark.skipif(not COMPILED, reason="the complex step has more digits")
@pytest.mark.parametrize("name", COMPILED_HERE)
def test_compiled_derivatives_are_slopes(name, model):
    given = arguments(name, model)
    (found,) = results_of(derivative_of(name)(model, **given))
    sizes = {"q": model.nv, "q0": model.nv, "q1": model.nv, "v": model.nv, "point": 3}
    directions = [(key, unit) for key in given if key in sizes for unit in np.eye(sizes[key])]
    for column, (key, unit) in zip(np.moveaxis(np.atleast_1d(found), -1, 0), directions, strict=True):
        expected = slope(getattr(pluecker.articulated, name), model, unit, wrt=key, **given)
        atol = CLOSE * max(1.0, np.abs(found).max())
        np.testing.assert_allclose(column, expected, rtol=0.0, atol=atol, err_msg=key)


def test_all_that_can_be_are_differentiated():
    assert {"rnea", "aba", "crba", "minv", "jacobian", "integrate", "body_jacobian"} <= set(DIFFERENTIABLE)
    assert set(on_arrays()) - set(DIFFERENTIABLE) == {"rnea_derivatives", "aba_derivatives"}


def test_a_displacement_moves_a_configuration_as_integrate_does(model):
    """Central differences along the manifold."""
    given, h = arguments("kinetic_energy", model), 1e-6
    found = derivative_of("kinetic_energy")(model, **given, wrt="q")
    for j, unit in enumerate(np.eye(model.nv)):
        ends = [
            pluecker.articulated.kinetic_energy(model, integrate(model, given["q"], side * unit), given["v"])
            for side in (h, -h)
        ]
        assert abs(found[j] - (ends[0] - ends[1]) / (2 * h)) < 1e-6 * np.abs(found).max()


def test_wrt_chooses_inputs_and_their_order(model):
    given = arguments("kinetic_energy", model)
    derivative = derivative_of(pluecker.articulated.kinetic_energy)
    dq, dv = derivative(model, **given)
    again = derivative(model, *given.values(), wrt=("v", "q"))
    np.testing.assert_array_equal(again[0], dv)
    np.testing.assert_array_equal(again[1], dq)
    np.testing.assert_array_equal(derivative(model, **given, wrt="v"), dv)
    assert isinstance(derivative(model, **given, wrt=("v",)), tuple)
    np.testing.assert_allclose(dv, crba(model, given["q"]) @ given["v"], rtol=0.0, atol=1e-12 * np.abs(dv).max())


@pytest.mark.parametrize("threads", [1, 3])
def test_states_of_a_batch_do_not_depend_on_each_other(threads, model):
    count = 21 if COMPILED else 3
    given = arguments("kinetic_energy", model, count)
    together = derivative_of("kinetic_energy")(model, **given, threads=threads)
    for k in range(count):
        single = derivative_of("kinetic_energy")(model, **{key: x[k] for key, x in given.items()})
        for batch, one in zip(together, single, strict=True):
            np.testing.assert_allclose(batch[k], one, rtol=0.0, atol=1e-13 * np.abs(one).max())
    broadcast = derivative_of("kinetic_energy")(model, given["q"][:3, None], given["v"][0], wrt="q")
    assert broadcast.shape == (3, 1, model.nv)


def test_results_go_where_they_are_asked_for(model):
    given = arguments("kinetic_energy", model, 3)
    expected = derivative_of("kinetic_energy")(model, **given)
    out = tuple(np.full_like(x, 7.0) for x in expected)
    assert derivative_of("kinetic_energy")(model, **given, out=out) is out
    alone = np.full_like(expected[0], 7.0)
    assert derivative_of("kinetic_energy")(model, **given, wrt="q", out=alone) is alone
    for array, truth in zip((*out, alone), (*expected, expected[0]), strict=True):
        np.testing.assert_array_equal(array, truth)
    for bad in (out[0], out[:1], [np.zeros(3), np.zeros(3)], None, "out"):
        if bad is not None:
            with pytest.raises((ArgumentTypeError, ArgumentValueError), match=r"derivative_of\(kinetic_energy\): out"):
                derivative_of("kinetic_energy")(model, **given, out=bad)


# ---------------------------------------------------------------------------------------------- inverse and forward dynamics


@pytest.mark.parametrize("name", ["rnea", "aba"])
def test_derivatives_of_dynamics_are_those_of_finite_differences(name, model):
    given, h = arguments(name, model, 1, seed=5), 1e-6
    function, n = getattr(pluecker.articulated, name), len(given)
    found = [x[0] for x in getattr(pluecker.articulated, f"{name}_derivatives")(model, *given.values())]
    eye = np.concatenate([h * np.eye(model.nv), -h * np.eye(model.nv)])
    for k, (key, result) in enumerate(zip(list(given)[:3], found, strict=True)):
        ends = [np.broadcast_to(x, (2 * model.nv, *x.shape[1:])) for x in given.values()]
        ends[k] = integrate(model, ends[k], eye) if key == "q" else ends[k] + eye
        values = function(model, *ends[:n])
        expected = (values[: model.nv] - values[model.nv :]).T / (2 * h)
        scale = np.abs(expected).max() + np.abs(values).max()
        np.testing.assert_allclose(result, expected, rtol=0.0, atol=1e-6 * scale, err_msg=key)


def test_the_derivatives_by_acceleration_and_force_are_the_inertia_matrix_and_its_inverse(model):
    s = random_state(model, 3, 4)
    H = rnea_derivatives(model, s["q"], s["v"], s["a"])[2]
    np.testing.assert_allclose(H, crba(model, s["q"]), rtol=0.0, atol=1e-14 * np.abs(H).max())
    Z = aba_derivatives(model, s["q"], s["v"], s["tau"])[2]
    limit = 1e-14 * np.linalg.cond(H).max()
    np.testing.assert_allclose(Z, minv(model, s["q"]), rtol=0.0, atol=limit * np.abs(Z).max())


def test_forward_dynamics_undo_inverse_dynamics_to_first_order(model):
    """tau(q, v, a(q, v)) is constant: H da/dq = -dtau/dq and H da/dv = -dtau/dv."""
    s = random_state(model, 4, 3)
    a = aba(model, s["q"], s["v"], s["tau"], s["f_ext"])
    tau_q, tau_v, H = rnea_derivatives(model, s["q"], s["v"], a, s["f_ext"])
    a_q, a_v, _ = aba_derivatives(model, s["q"], s["v"], s["tau"], s["f_ext"])
    for by_force, by_state in ((a_q, tau_q), (a_v, tau_v)):
        scale = np.abs(H).max() * np.abs(by_force).max() + np.abs(by_state).max()
        np.testing.assert_allclose(H @ by_force, -by_state, rtol=0.0, atol=1e-12 * scale)


def test_damping_counts_and_dry_friction_is_constant_even_at_rest():
    builder = ModelBuilder()
    builder.add_body("rod", mass=2.0, center_of_mass=(0.5, 0, 0))
    builder.add_joint("hinge", "revolute", "world", "rod", axis=(0, 1, 0), damping=0.3, friction=5.0, stiffness=2.0)
    model = builder.build()
    for v in (0.0, 1.0):
        dq, dv, da = rnea_derivatives(model, [[0.4]], [[v]], [[0.0]])
        np.testing.assert_allclose(np.ravel([dq, dv, da]), [9.81 * np.sin(0.4) + 2.0, 0.3, 0.5], rtol=1e-14)


def test_states_of_a_batch_of_dynamics_are_the_single_ones(model):
    s = random_state(model, 8, 5 if COMPILED else 2)
    for function, third in ((rnea_derivatives, "a"), (aba_derivatives, "tau")):
        batch = function(model, s["q"], s["v"], s[third], s["f_ext"])
        for threads in (1, 2):
            out = tuple(np.full_like(x, 7.0) for x in batch)
            assert function(model, s["q"], s["v"], s[third], s["f_ext"], out=out, threads=threads) is out
            for x, y in zip(out, batch, strict=True):
                np.testing.assert_array_equal(x, y)


@pytest.mark.parametrize(
    "function", [pytest.param(f, marks=in_everything) for f in (rnea_derivatives, aba_derivatives)]
)
def test_one_state_alone_has_the_derivatives_that_it_has_in_a_batch(function, model):
    s = random_state(model, 8, 2)
    given = [s[key] for key in ("q", "v", "a" if function is rnea_derivatives else "tau", "f_ext")]
    batch = function(model, *given)
    for _ in range(2):  # the long way and the short one
        single = function(model, *(x[1] for x in given))
        for x, y in zip(batch, single, strict=True):
            np.testing.assert_allclose(x[1], y, rtol=0.0, atol=1e-12 * np.abs(y).max())


# -------------------------------------------------------------------------------------------------- second derivatives


@pytest.mark.parametrize(
    "name",
    [pytest.param("difference", marks=in_everything), *([] if COMPILED else ["rnea", "crba", "integrate"])],
)
def test_second_derivatives_are_differences_of_first_ones(name, model):
    given, h = arguments(name, model), 1e-5
    rng = np.random.default_rng(1)
    configurations = [key for key in given if key.startswith("q")]
    along = {key: rng.normal(size=model.nv if key in configurations else x.shape) for key, x in given.items()}
    found = results_of(second_derivative_of(name)(model, **given, along=along))

    def at(t):
        moved = {
            key: integrate(model, x, t * along[key]) if key in configurations else x + t * along[key]
            for key, x in given.items()
        }
        return results_of(derivative_of(name)(model, **moved))

    for result, above, below in zip(found, at(h), at(-h), strict=True):
        expected = (above - below) / (2 * h)
        scale = np.abs(expected).max() + np.abs(above).max()
        np.testing.assert_allclose(result, expected, rtol=0.0, atol=1e-7 * scale)


@pytest.mark.plain
@not_compiled
def test_second_derivatives_of_the_potential_energy_are_the_change_of_gravity():
    """The gradient is the gravity force; and on hinges alone, second derivatives are symmetric."""
    model = random_description(4, 5, kinds=("revolute", "prismatic"), passive=False).build()
    s = random_state(model, 1)
    q = s["q"][0]
    gradient = derivative_of(potential_energy)(model, q, wrt="q")
    np.testing.assert_allclose(gradient, gravity_force(model, q), rtol=0.0, atol=1e-13 * np.abs(gradient).max())
    second = second_derivative_of(potential_energy)
    rows = np.array([second(model, q, along={"q": unit}, wrt="q") for unit in np.eye(model.nv)])
    np.testing.assert_allclose(rows, rows.T, rtol=0.0, atol=1e-13 * np.abs(rows).max())
    dq, _, _ = rnea_derivatives(model, q, np.zeros(model.nv), np.zeros(model.nv))
    np.testing.assert_allclose(rows, dq, rtol=0.0, atol=1e-13 * np.abs(rows).max())
    still = second(model, q, along={}, wrt="q")
    np.testing.assert_array_equal(still, np.zeros(model.nv))


# ------------------------------------------------------------------------------------------------------------ refusals


def test_what_is_no_algorithm_is_refused_with_those_that_are():
    for bad in ("simulate", "neutral", "", "rnea_derivatives", len, np.sin, pluecker.articulated.factorize):
        expected = r"derivative_of: .*cannot be differentiated, expected one of '"
        with pytest.raises(UnknownNameError, match=expected) as caught:
            derivative_of(bad)
        assert "'aba'" in str(caught.value)
        assert len(str(caught.value)) < 600
    for bad in (3, None, {"rnea": rnea}):
        with pytest.raises(ArgumentTypeError, match="derivative_of: algorithm must be a function or its name"):
            derivative_of(bad)
    with pytest.raises(UnknownNameError, match="second_derivative_of: 'simulate' cannot be"):
        second_derivative_of("simulate")


def test_inputs_that_are_none_are_refused(model):
    s = {key: x[0] for key, x in random_state(model, 0).items()}
    derivative = derivative_of(rnea)
    for bad, said in (
        ("tau", "wrt names 'tau', expected one of q, v, a"),
        (("q", "tau"), "wrt names 'tau'"),
        ("f_ext", "wrt names f_ext, which was left out"),
        ((), r"wrt is \(\), expected one or more names"),
        (("q", "q"), "wrt is .* each once"),
    ):
        with pytest.raises(ArgumentValueError, match=rf"derivative_of\(rnea\): {said}"):
            derivative(model, s["q"], s["v"], s["a"], wrt=bad)
    for bad in (3, [1], {"q"}):
        with pytest.raises(ArgumentTypeError, match=r"derivative_of\(rnea\): wrt must be a name or a tuple of names"):
            derivative(model, s["q"], s["v"], s["a"], wrt=bad)
    with pytest.raises(ArgumentValueError, match="wrt names 'a', expected one of q, v"):
        derivative_of(bias_force)(model, s["q"], s["v"], wrt="a")


@pytest.mark.plain
def test_placements_of_named_frames_have_the_derivatives_of_the_bodies(model):
    q, derivative = random_state(model, 0)["q"][0], derivative_of(forward_kinematics)
    names = list(model.body_names[::-2])
    rows = [model.body_names.index(name) for name in names]
    found, bodies = derivative(model, q, names, wrt="q"), derivative(model, q, wrt="q")
    np.testing.assert_allclose(found, bodies[rows], rtol=0.0, atol=1e-14 * np.abs(bodies).max())


def test_directions_that_do_not_fit_are_refused(model):
    s = {key: x[0] for key, x in random_state(model, 0).items()}
    second = second_derivative_of(potential_energy)
    for bad, kind in (
        (3, ArgumentTypeError),
        ({"v": s["v"]}, ArgumentValueError),
        ({"q": np.ones(3)}, ArgumentValueError),
    ):
        with pytest.raises(kind, match=r"second_derivative_of\(potential_energy\): along"):
            second(model, s["q"], along=bad)
    with pytest.raises(ArgumentValueError, match="leading axes of along do not broadcast"):
        second_derivative_of("kinetic_energy")(
            model, s["q"], s["v"], along={"q": np.ones((2, model.nv)), "v": np.ones((3, model.nv))}
        )


@pytest.mark.plain  # an error looks at one state, by code of its own
def test_a_joint_that_moves_nothing_is_named():
    model = one_body("rod", "revolute", 2.0, (0.5, 0, 0), joint="hinge", axis=(1, 0, 0))
    with pytest.raises(SingularInertiaError, match=r"aba_derivatives: .*hinge"):
        aba_derivatives(model, [[0.0]], [[0.0]], [[0.0]])
    assert rnea_derivatives(model, [[0.0]], [[0.0]], [[0.0]])[2].item() == 0.0


def test_inputs_of_derivatives_are_checked_as_those_of_the_algorithm(model):
    s = random_state(model, 0, 2)
    functions = [rnea_derivatives, aba_derivatives] + ([] if COMPILED else [derivative_of("rnea")])
    for function, index in itertools.product(functions, (slice(None),) if COMPILED else (0, slice(None))):
        q, v, a = s["q"][index], s["v"][index], s["a"][index]
        with pytest.raises(ArgumentValueError, match="has shape"):
            function(model, q, v[..., 1:], a)
        with pytest.raises(ArgumentValueError, match="expected a finite number"):
            function(model, q, v * np.nan, a)
        if model.quaternion_slices():
            with pytest.raises(ArgumentValueError, match="has length 2, expected 1"):
                function(model, 2.0 * q, v, a)
        with pytest.raises(ArgumentTypeError, match="threads"):
            function(model, q, v, a, threads="all")
