"""Batches: every algorithm by lanes and threads, whatever lies where in memory, and whoever else is calculating.

That a batch goes through lanes, in how many threads, and that nothing is compiled for it again, no result shows: the module
that runs all algorithms is watched for it.
"""

import inspect
import itertools
import multiprocessing
import os
import pickle
import sys
import tracemalloc
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numba
import numpy as np
import pytest

from pluecker.articulated import (
    ModelBuilder,
    SingularInertiaError,
    aba,
    crba,
    forward_kinematics,
    gravity_force,
    neutral,
    rnea,
)
from pluecker.articulated.running import algorithm as algorithm_module
from pluecker.spatial import ArgumentTypeError, ArgumentValueError
from tests.articulated.model.test_mimic import build as build_for_mimic
from tests.articulated.running.functions import (
    ALGORITHMS,
    FUNCTIONS,
    INPUTS,
    METHODS,
    ON_BATCHES,
    PUBLIC,
    SOME,
    arguments,
    by_name,
    every,
    part,
)
from tests.conftest import COMPILED
from tests.layouts import LAYOUTS, big_endian, unaligned
from tests.mechanisms import MOVING, random_description, random_state
from tests.programs import printed_by

TOP = Path(__file__).resolve().parents[3]
# Public functions that are called once, not in loops. Whoever adds one decides here that it needs no batches.
WITHOUT_BATCHES = {
    "animate",
    "convergence",
    "derivative_of",
    "inertia_pattern",
    "joint_transform",
    "neutral",
    "plot_energy",
    "plot_mechanism",
    "plot_trajectory",
    "random_configuration",
    "random_tree",
    "second_derivative_of",
    "simulate",
    "view",
    "sparse_body_jacobian",
    "sparse_body_jacobian_dot",
}

each_place = by_name(pytest.mark.plain, pytest.mark.indices)
every_compiled = by_name(pytest.mark.everything)  # where plain Python has nothing to run
compiled_only = pytest.mark.skipif(not COMPILED, reason="lanes, overloads and threads are for compiled code")
# Without compilation, joints of every native kind: what is looked at here is the way to kernels and back.
KINDS_OF_JOINTS = MOVING if COMPILED else ("free", "spherical", "exponential", "helical", "universal")


@pytest.fixture(scope="module", params=["all joint types", "mimic joints"])
def model(request):
    """A model with damping, armature, springs and friction, with or without mimic joints."""
    if request.param == "mimic joints":
        return build_for_mimic(mimic=True)
    return random_description(31, len(KINDS_OF_JOINTS), KINDS_OF_JOINTS).build()


@pytest.fixture(scope="module")
def tree():
    return random_description(31, len(KINDS_OF_JOINTS), KINDS_OF_JOINTS).build()


@pytest.fixture
def many_pieces(monkeypatch):
    """Divide any batch, however small, among all threads that were asked for."""
    monkeypatch.setattr(algorithm_module, "GRAIN", 1)
    monkeypatch.setattr(algorithm_module, "WORTH", 2)


def same_bits(found, expected):
    assert found.shape == expected.shape
    np.testing.assert_array_equal(np.ascontiguousarray(found).view(np.int64), expected.view(np.int64))


def used_by(name, model):
    """The algorithm behind a public function, for this model."""
    found = {plan.algorithm for (each, _), plan in model.plans.items() if each.name == name}
    assert len(found) == 1
    return found.pop()


@pytest.fixture
def spy(monkeypatch):
    """Note each computation of a batch: the function for lanes, how many threads, how many states."""
    calls, run_many = [], algorithm_module.run_many

    def watched(*args):
        if args[-1]:
            calls.append((args[0], args[1], len(args[3][-1])))
        return run_many(*args)

    monkeypatch.setattr(algorithm_module, "run_many", watched)
    return calls


# ------------------------------------------------------------------------------------------------------- all algorithms


def test_every_public_function_runs_on_batches_or_is_known_not_to():
    assert set(ON_BATCHES) | METHODS == set(ALGORITHMS)
    assert set(PUBLIC) - set(ON_BATCHES) <= WITHOUT_BATCHES
    for name, algorithm in ALGORITHMS.items():
        assert algorithm.name == name
    for name in FUNCTIONS:
        algorithm = ALGORITHMS[name]
        assert set(INPUTS[name]) <= {field.name for field in algorithm.inputs}


def python_calls(function, *given, **named):
    """Count the functions written in Python that a call enters."""
    calls = []
    sys.setprofile(lambda frame, event, _: calls.append(frame.f_code.co_name) if event == "call" else None)
    try:
        function(*given, **named)
    finally:
        sys.setprofile(None)
    return len(calls)


@compiled_only
@pytest.mark.parametrize("name", ["rnea", "jacobian", "forward_kinematics"])
def test_a_call_for_one_state_is_short_in_whatever_form_it_comes(name, model):
    """Calls are short from the second one on; the path that explains an error enters more than thirty functions."""
    function, given = FUNCTIONS[name], part(arguments(name, model, 2), 0)
    out = np.empty_like(function(model, **given))
    named = {"frames": [model.body_names[-1]]} if name == "forward_kinematics" else {}
    forms = {
        "plain": (given, {}, 7),
        "out": (given, {"out": out}, 10),
        "threads": (given, {"threads": 1}, 10),
        "frames": (given, named, 7),
        "lists": ({key: x.tolist() for key, x in given.items()}, {}, 22),
        "float32": ({key: x.astype(np.float32) for key, x in given.items()}, {}, 22),
        "strided": ({key: np.repeat(x, 2, axis=-1)[..., ::2] for key, x in given.items()}, {}, 22),
        "a batch of one": ({key: x[None] for key, x in given.items()}, {}, 8),
        "two states": ({key: np.stack([x, x]) for key, x in given.items()}, {}, 8),
    }
    for form, (inputs, options, most) in forms.items():
        for _ in range(2):
            function(model, **inputs, **options)
        assert python_calls(function, model, **inputs, **options) <= most, form


@compiled_only
def test_lists_of_numbers_are_short_and_the_same_to_the_bit_or_refused(tree):
    """Whole numbers among them count as numbers, truth values do not, and lists may be among arrays."""
    q, v, a = neutral(tree).tolist(), [0.25] * tree.nv, [2] + [0.5] * (tree.nv - 1)
    expected = rnea(tree, *map(np.array, (q, v, a)))
    for inputs in ((q, v, a), (q, [1] * tree.nv, a), (q, np.array(v), a)):
        arrays = [np.array(x, dtype=float) for x in inputs]
        for _ in range(2):
            same_bits(rnea(tree, *inputs), rnea(tree, *arrays))
    assert python_calls(rnea, tree, q, v, a) <= 6
    entries = [list(np.array(x, dtype=float)) for x in (q, v, a)]  # which are numbers of NumPy
    same_bits(rnea(tree, *entries), expected)
    assert python_calls(rnea, tree, *entries) <= 6
    for bad in ([True] * tree.nv, ["1.0"] * tree.nv, [None] * tree.nv):
        with pytest.raises(TypeError, match="rnea: v "):
            rnea(tree, q, bad, a)
    with pytest.raises(ValueError, match=r"rnea: v has shape \(\d+,\)"):
        rnea(tree, q, [*v, 0.0], a)
    same_bits(rnea(tree, q, v, a), expected)


@compiled_only
@every_compiled
def test_a_batch_goes_through_lanes_with_the_kernel_of_one_state(name, model, spy):
    """Every joint type has passive forces and wrenches from outside; results are those of single states, to rounding."""
    given = arguments(name, model, 19)
    single = [FUNCTIONS[name](model, **part(given, k)) for k in range(19)]
    together = FUNCTIONS[name](model, **given, threads=1)
    assert spy == [(used_by(name, model).many, 1, 19)]
    for found, expected in zip(together, single, strict=True):
        np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-11 * np.abs(expected).max())


@compiled_only
@every_compiled
def test_nothing_is_compiled_again_whatever_the_inputs_are(name, model):
    given = arguments(name, model, 4)
    FUNCTIONS[name](model, **given)
    FUNCTIONS[name](model, **part(given, 0))
    frozen = {key: x.copy() for key, x in given.items()}
    for x in frozen.values():
        x.flags.writeable = False
    variants = (
        {key: x.tolist() for key, x in given.items()},
        {key: x.astype(np.float32) for key, x in given.items()},
        {key: x.astype(">f8") for key, x in given.items()},
        {key: x.reshape(2, 1, 2, *x.shape[1:]) for key, x in given.items()},
        {key: np.asfortranarray(x) for key, x in given.items()},
        {key: x[:0] for key, x in given.items()},
        frozen,
    )
    for variant in variants:
        FUNCTIONS[name](model, **variant)
        FUNCTIONS[name](model, **{key: x[0] if len(x) else given[key][0] for key, x in variant.items()})
    algorithm = used_by(name, model)
    assert len(algorithm.one.overloads) == len(algorithm.many.overloads) == 1


# ---------------------------------------------------------------------------------------------------------- bit for bit


@each_place
def test_the_result_of_a_state_does_not_depend_on_its_place(name, model):
    given = arguments(name, model)
    whole = FUNCTIONS[name](model, **given)
    for shift in range(1, 10 if COMPILED else 2):
        same_bits(FUNCTIONS[name](model, **part(given, slice(shift, None))), whole[shift:])
    for count in range(1, 21 if COMPILED else 3):
        same_bits(FUNCTIONS[name](model, **part(given, slice(count))), whole[:count])
    order = np.random.default_rng(7).permutation(len(whole))
    same_bits(FUNCTIONS[name](model, **part(given, order)), np.ascontiguousarray(whole[order]))


@each_place
def test_a_few_states_have_a_way_of_their_own_to_the_same_bits(name, model):
    """Calls with inputs of these shapes take a shorter path from the second one on: also in the user's array, with one input
    for all, and after a state that was refused.
    """
    given = arguments(name, model)
    whole, first = FUNCTIONS[name](model, **given), next(iter(given))
    for count in (1, 3, 8) if COMPILED else (1, 3):
        few, out = part(given, slice(count)), np.empty_like(whole[:count])
        for _ in range(3):
            same_bits(FUNCTIONS[name](model, **few), whole[:count])
        bad = few | {first: np.where(np.arange(few[first].size).reshape(few[first].shape) == 0, np.nan, few[first])}
        with pytest.raises(ArgumentValueError, match=rf"{name}: {first}\[0, 0.*\] is nan"):
            FUNCTIONS[name](model, **bad, out=out)
        assert FUNCTIONS[name](model, **few, out=out) is out
        same_bits(out, whole[:count])
        last = list(given)[-1]
        if last == first:
            continue
        shared = few | {last: given[last][5 % len(whole)]}
        every_one = few | {last: np.repeat(shared[last][None], count, axis=0)}
        for _ in range(2):
            same_bits(FUNCTIONS[name](model, **shared), FUNCTIONS[name](model, **every_one))


@compiled_only
@every_compiled
def test_the_result_does_not_depend_on_the_number_of_threads(name, model, many_pieces, spy):
    given = arguments(name, model, 83)  # ten blocks of eight, and three more states
    whole = FUNCTIONS[name](model, **given, threads=1)
    for threads in (1, 2, 3, 7, np.int64(2), None):
        spy.clear()
        same_bits(FUNCTIONS[name](model, **given, threads=threads), whole)
        out = np.full(whole.shape, np.nan)
        same_bits(FUNCTIONS[name](model, **given, threads=threads, out=out), whole)
        used = len(os.sched_getaffinity(0)) if threads is None else threads
        assert spy == [(used_by(name, model).many, min(used, 6), 83)] * 2


@compiled_only
def test_a_small_batch_stays_in_the_thread_that_calls(tree, spy):
    rnea(tree, **arguments("rnea", tree, 100), threads=8)
    assert spy[-1][1:] == (1, 100)
    rnea(tree, **arguments("rnea", tree, 2000), threads=2)
    assert spy[-1][1:] == (2, 2000)


# --------------------------------------------------------------------------------------------------------- broadcasting


@every
def test_one_input_may_stand_for_all_states(name, model):
    given = arguments(name, model)
    for key in given:
        single = given[key][1].copy()
        expanded = given | {key: np.repeat(single[None], SOME, axis=0)}
        expected = FUNCTIONS[name](model, **expanded)
        if len(given) > 1:
            same_bits(FUNCTIONS[name](model, **(given | {key: single})), expected)
            same_bits(FUNCTIONS[name](model, **(given | {key: single[None]})), expected)
        same_bits(FUNCTIONS[name](model, **(given | {key: np.broadcast_to(single, expanded[key].shape)})), expected)


@every
def test_one_input_may_be_the_only_batch(name, model):
    given = arguments(name, model)
    for key in given:
        others = {other: np.repeat(x[2][None], SOME, axis=0) for other, x in given.items()}
        expected = FUNCTIONS[name](model, **(others | {key: given[key]}))
        same_bits(FUNCTIONS[name](model, **(part(given, 2) | {key: given[key]})), expected)


@every
def test_leading_axes_are_kept_and_broadcast(name, model):
    given = arguments(name, model, 6)
    flat = FUNCTIONS[name](model, **given)
    shaped = {key: x.reshape(3, 1, 2, *x.shape[1:]) for key, x in given.items()}
    same_bits(FUNCTIONS[name](model, **shaped), flat.reshape(3, 1, 2, *flat.shape[1:]))
    first = INPUTS[name][0]
    crossed = {key: x[:, None] if key == first else x[None, :4] for key, x in given.items()}
    columns = 4 if len(given) > 1 else 1
    full = FUNCTIONS[name](model, **crossed)
    assert full.shape == (6, columns, *flat.shape[1:])
    pairs = [(i, j) for i in range(6) for j in range(columns)]
    paired = {key: x[[i if key == first else j for i, j in pairs]] for key, x in given.items()}
    same_bits(full.reshape(-1, *flat.shape[1:]), FUNCTIONS[name](model, **paired))


@every
def test_an_empty_batch_gives_an_empty_result(name, model):
    shape = FUNCTIONS[name](model, **part(arguments(name, model, 1), 0)).shape
    for empty in ((0,), (3, 0, 2)):
        given = {key: np.zeros((*empty, *x.shape[1:])) for key, x in arguments(name, model, 1).items()}
        assert FUNCTIONS[name](model, **given).shape == (*empty, *shape)
        out = np.empty((*empty, *shape))
        assert FUNCTIONS[name](model, **given, out=out, threads=3) is out


# ------------------------------------------------------------------------------------------------------------------ out


@every
def test_out_takes_the_result_and_nothing_around_it_is_touched(name, model):
    for index in (slice(None), 0):
        given = part(arguments(name, model), index)
        expected = FUNCTIONS[name](model, **given)
        memory = np.full(expected.size + 32, -7.0)
        out = memory[16 : 16 + expected.size].reshape(expected.shape)
        assert FUNCTIONS[name](model, **given, out=out) is out
        same_bits(out, expected)
        assert (memory[:16] == -7.0).all()
        assert (memory[16 + expected.size :] == -7.0).all()


@every
def test_a_bad_number_in_the_last_state_leaves_out_as_it_was(name, model, many_pieces):
    count = 100 if COMPILED else 3
    given = arguments(name, model, count)
    out = np.full(FUNCTIONS[name](model, **given).shape, 7.0)
    for key, threads in itertools.product(given, (1, 3)):
        for bad in (np.nan, -np.inf):
            spoiled = given[key].copy()
            spoiled[-1].reshape(-1)[-1] = bad
            where = ", expected a finite number$" if key == "point" else r".*\((coordinate|body) '"
            with pytest.raises(ValueError, match=rf"{name}: {key}\[{count - 1}, .*\] is {bad}{where}"):
                FUNCTIONS[name](model, **(given | {key: spoiled}), out=out, threads=threads)
            assert (out == 7.0).all()


@every
def test_a_long_quaternion_in_the_last_state_leaves_out_as_it_was(name, model, many_pieces):
    given = arguments(name, model, 100 if COMPILED else 3)
    out = np.full(FUNCTIONS[name](model, **given).shape, 7.0)
    joint, where = list(model.quaternion_slices().items())[-1]
    for key, threads in itertools.product([key for key in given if key.startswith("q")], (1, 3)):
        spoiled = given[key].copy()
        spoiled[-1, where] *= 1.0 + 2e-6
        with pytest.raises(ValueError, match=rf"{name}: the quaternion of joint '{joint}', {key}"):
            FUNCTIONS[name](model, **(given | {key: spoiled}), out=out, threads=threads)
        assert (out == 7.0).all()


def gimbal(mimic):
    """Singular where its outer and its inner axis are aligned: where the second coordinate is zero."""
    builder = ModelBuilder()
    for body in "abc":
        builder.add_body(body)
    builder.add_body("load", mass=1.0, inertia=[1, 2, 2.5])
    builder.add_joint("a", "revolute", "world", "a", axis=(0, 0, 1))
    builder.add_joint("b", "revolute", "a", "b", axis=(0, 1, 0))
    builder.add_joint("c", "revolute", "b", "c", axis=(0, 0, 1))
    builder.add_joint("weld", "fixed", "c", "load")
    if mimic:
        builder.add_body("d", mass=1.0, inertia=[1, 1, 1])
        builder.add_joint("d", "prismatic", "world", "d", axis=(0, 0, 1), mimic=("b", 0.5, 0.0))
    return builder.build()


@pytest.mark.parametrize("mimic", [False, True])
def test_a_singular_last_state_leaves_out_as_it_was(mimic, many_pieces):
    model, count = gimbal(mimic), 100 if COMPILED else 3
    q = np.random.default_rng(1).uniform(0.5, 1.0, (count, model.nq))
    out = np.full((count, model.nv), 7.0)
    aba(model, q, np.zeros(model.nv), np.ones(model.nv), threads=3, out=out)
    assert (out != 7.0).all()
    q[-1, 1] = 0.0
    out[:] = 7.0
    for threads in (1, 3):
        with pytest.raises(SingularInertiaError, match=f"in state {count - 1} of the batch"):
            aba(model, q, np.zeros(model.nv), np.ones(model.nv), threads=threads, out=out)
        assert (out == 7.0).all()


@every
def test_out_may_share_its_memory_with_an_input(name, model):
    for key, index in itertools.product(INPUTS[name], (slice(None), 0)):
        given = part(arguments(name, model), index)
        expected, x = FUNCTIONS[name](model, **given), given[key]
        for first in (0, 5):  # the result is ahead of the input, so that it would destroy what is still to be read
            memory = np.empty(max(expected.size, x.size) + first + 5)
            shared = memory[first : first + x.size].reshape(x.shape)
            shared[...] = x
            out = memory[5 : 5 + expected.size].reshape(expected.shape)
            same_bits(FUNCTIONS[name](model, **(given | {key: shared}), out=out), expected)


# -------------------------------------------------------------------------------------------------- inputs of all kinds


@every
def test_a_number_of_threads_that_is_none_is_refused_by_name(name, tree):
    given = arguments(name, tree, 2)
    values, types = (0, -1, -(10**400)), (1.5, 2.0, "two", True, False, np.True_, np.array([1, 2]))
    for error, cases in ((ArgumentValueError, values), (ArgumentTypeError, types)):
        for bad in cases:
            for index in (slice(None), 0):
                with pytest.raises(error, match=f"{name}: threads is "):
                    FUNCTIONS[name](tree, **part(given, index), threads=bad)


KINDS = LAYOUTS | {
    "every other state": lambda x: np.repeat(x, 2, axis=0)[::2] if x.ndim > 1 else x,
    "float32": lambda x: x.astype(np.float32),
}


@every
def test_it_does_not_matter_how_inputs_lie_in_memory(name, model):
    """Numbers that a float32 holds exactly are the same numbers in all kinds of arrays; none of them is modified."""
    count = 11 if COMPILED else 2
    given = {key: x.astype(np.float32).astype(float) for key, x in arguments(name, model, count).items()}
    for index, kind in itertools.product((slice(None), count - 1), KINDS):
        plain = part(given, index)
        expected = FUNCTIONS[name](model, **plain)
        special = {key: KINDS[kind](x) for key, x in plain.items()}
        before = {key: np.array(x) for key, x in special.items()}
        found = FUNCTIONS[name](model, **special)
        assert found.tobytes() == expected.tobytes(), kind
        for key, x in special.items():
            np.testing.assert_array_equal(np.array(x), before[key], err_msg=kind)
            np.testing.assert_array_equal(plain[key], given[key][index], err_msg=kind)


def unpickled(x):
    """Return a copy whose dtype is equal to float64, but another object."""
    return pickle.loads(pickle.dumps(x))


@pytest.mark.slow
@every_compiled
def test_byte_order_counts_whatever_compiled_functions_have_met(name, model):
    """Numba remembers the types of unusual arrays, by features among which byte order is not."""
    if COMPILED:  # somebody else's function
        stranger = numba.njit(lambda x: x.sum())
        for shape in ((3,), (2, 6)):
            stranger(unaligned(np.ones(shape)))
    function, given = FUNCTIONS[name], part(arguments(name, model, 4), 0)
    expected = function(model, **given)
    for kind in (unaligned, big_endian, unpickled):
        for _ in range(2):
            same_bits(function(model, **{key: kind(x) for key, x in given.items()}), expected)
        for key in given:  # none is saved by another that goes the long way
            same_bits(function(model, **(given | {key: kind(given[key])})), expected)


# -------------------------------------------------------------------------------------------------------------- overflow


def crane(mimic):
    """A boom that telescopes out twice, both times together where the second joint mimics the first; a load on a ball."""
    builder = ModelBuilder()
    for name in ("tower", "boom", "tip", "load"):
        builder.add_body(name, mass=2.0, center_of_mass=(0.1, 0.2, 0.3), inertia=[1, 1.1, 1.2])
    builder.add_joint("luff", "revolute", "world", "tower", axis=(0, 1, 0))
    builder.add_joint("out", "prismatic", "tower", "boom", axis=(1, 0, 1))
    builder.add_joint("further", "prismatic", "boom", "tip", axis=(1, 0, 1), mimic=("out", 1.0, 0.0) if mimic else None)
    builder.add_joint("hook", "spherical", "tip", "load")
    return builder.build()


def too_large(name, model, given, state):
    """The inputs with numbers, in one state, for which the result overflows; and the largest, with its coordinate."""
    changed = {key: x.copy() for key, x in given.items()}
    slides = [k for k, label in enumerate(model.q_names) if label in ("out", "further")]
    if name == "difference":
        changed["q0"][state, slides], changed["q1"][state, slides] = -1.7e308, 1.6e308
    elif "v" in given:
        changed["v"][state, slides] = 1.75e308
    if "x" in given:
        changed["x"][state, slides] = 1.7e308
    if "q" in given and ("v" not in given or name == "integrate"):
        changed["q"][state, slides] = 1.7e308
    return changed, {"difference": "q0 = -1.7"}.get(name, "v = 1.75" if "v" in given else "q = 1.7")


@every
@pytest.mark.parametrize("mimic", [False, True])
def test_a_result_that_overflows_is_an_error_that_names_state_and_joint(name, mimic, many_pieces):
    if name == "carry_velocity" or "point" in INPUTS[name]:
        return  # it gives back what it gets; functions of points: test_frames.py
    count = 100 if COMPILED else 3
    state, model = count - 2, crane(mimic).replace(damping=10.0)
    given = arguments(name, model, count)
    bad, largest = too_large(name, model, given, state)
    shape = FUNCTIONS[name](model, **given).shape
    said = rf"{name}: the result overflows float64.*the largest number given is {largest}e\+308 of coordinate 'out'"
    for threads in (1, 3):
        with pytest.raises(ArgumentValueError, match=said) as error:
            FUNCTIONS[name](model, **bad, threads=threads)
    assert f"in state {state} of the batch" in str(error.value)
    names = (*model.v_names, *model.q_names, *model.body_names)
    named = any(isinstance(word, str) for word in ALGORITHMS[name].outputs[0].shape)
    assert not named or any(f", at {each!r};" in str(error.value) for each in names)
    for index in range(2):  # the short way, once it is open
        with pytest.raises(ArgumentValueError, match=said):
            FUNCTIONS[name](model, **part(bad, state))
        FUNCTIONS[name](model, **part(given, index))
    alone = np.full(shape[1:], 7.0)
    with pytest.raises(ArgumentValueError, match=said):
        FUNCTIONS[name](model, **part(bad, state), out=alone)
    assert (alone == 7.0).all()
    if "untouched where an error is raised" in inspect.getdoc(FUNCTIONS[name]):
        out = np.full(shape, 7.0)
        with pytest.raises(ArgumentValueError, match=said):
            FUNCTIONS[name](model, **bad, out=out, threads=3)
        assert (out == 7.0).all()


def test_a_frame_whose_place_overflows_is_named():
    builder = ModelBuilder()
    builder.add_body("carriage", mass=1.0)
    builder.add_joint("rail", "prismatic", "world", "carriage", axis=(1, 0, 0))
    builder.add_frame("mast", body="carriage", position=(1e308, 0, 0))
    model = builder.build()
    assert np.isfinite(forward_kinematics(model, [[1.0], [1e308]])).all()
    with pytest.raises(ArgumentValueError, match=r"forward_kinematics: .* in state 1 of the batch, at frame 'mast'"):
        forward_kinematics(model, [[1.0], [1e308]], ["carriage", "mast"])


def test_forward_dynamics_tells_overflow_from_singularity(model):
    s = random_state(model, 3, 3)
    s["v"][1] *= 1e170
    for index in (slice(None), 1):
        with pytest.raises(ArgumentValueError, match="aba: the result overflows float64") as error:
            aba(model, s["q"][index], s["v"][index], s["tau"][index])
        assert not isinstance(error.value, SingularInertiaError)


@pytest.mark.slow
@pytest.mark.parametrize(
    "function", [crba, *(pytest.param(f, marks=pytest.mark.everything) for f in (rnea, forward_kinematics))]
)
def test_at_the_border_of_its_tolerance_a_quaternion_is_either_used_or_refused(function, tree, monkeypatch):
    """The length is checked once, or in the same way each time: never is a result returned that nobody computed."""
    monkeypatch.setattr(algorithm_module, "empty", lambda shape: np.full(shape, 1e9), raising=False)
    given = part(arguments(function.__name__, tree, 2), slice(None))
    expected = function(tree, **given)
    where = next(iter(tree.quaternion_slices().values()))
    outcomes = set()
    for border in (1.0 + 1e-6, 1.0 - 1e-6):
        for length in border + np.linspace(-2e-12, 2e-12, 41):
            q = given["q"].copy()
            q[1, where] *= length / np.linalg.norm(q[1, where])
            out = np.full(expected.shape, 1e9)
            try:
                function(tree, **(given | {"q": q}), out=out)
            except ValueError:
                outcomes.add("refused")
            else:
                np.testing.assert_allclose(out, expected, rtol=0.0, atol=1e-4 * np.abs(expected).max())
                outcomes.add("used")
    assert outcomes == {"used", "refused"}


@pytest.mark.parametrize("size", [0.0, 1e-200, 1e150, 1e200, 1e308])
def test_a_quaternion_of_any_other_length_is_refused_without_a_warning(size, tree):
    q = arguments("gravity_force", tree, 3)["q"]
    q[1, next(iter(tree.quaternion_slices().values()))] = size
    for index in (slice(None), 1):
        with pytest.raises(ValueError, match="gravity_force: the quaternion of joint "):
            gravity_force(tree, q[index])


@pytest.mark.indices
@pytest.mark.parametrize("q", [np.array(0.0), -1, np.nan])
def test_a_number_in_the_place_of_a_few_states_is_refused(q, tree):
    v = np.zeros((3, tree.nv))
    rnea(tree, neutral(tree), v, v)  # from now on a few states go the short way
    with pytest.raises(ArgumentValueError, match=r"q has shape \(\), expected"):
        rnea(tree, q, v, v)


def test_one_state_is_checked_as_strictly_as_a_batch(tree):
    """Single states take a shorter path through the checks."""
    given = arguments("rnea", tree, 2)
    shape, real = given["v"].shape, given["v"]
    bad = [("f_ext", np.zeros((2, rows, columns))) for rows, columns in ((0, 6), (0, 5), (1, 6), (tree.n_bodies, 5))]
    bad += [("v", real * 1j), ("v", np.zeros(shape, bool)), ("a", real.astype(str)), ("a", real[:, 1:]), ("q", real)]
    for key, value in bad:
        for index in (slice(None), 0):
            with pytest.raises((TypeError, ValueError), match=f"rnea: {key} "):
                rnea(tree, **(part(given, index) | {key: value[index]}))


@compiled_only
@pytest.mark.parametrize("name", ["rnea", "forward_kinematics"])
def test_a_result_is_an_array_as_numpy_makes_it_and_references_are_counted_right(name, tree):
    """Compiled code makes the array of one state itself, and reads inputs where they lie."""
    function, given = FUNCTIONS[name], part(arguments(name, tree, 2), 0)
    for _ in range(2):
        found = function(tree, **given)
    expected = np.empty(found.shape)
    assert type(found) is np.ndarray
    assert (found.dtype, found.strides, found.flags, found.base) == (float, expected.strides, expected.flags, None)
    assert sys.getrefcount(found) == sys.getrefcount(expected)
    found[...] = 2.0

    def counts():
        return [sys.getrefcount(x) for x in (np.dtype(float), tree, *given.values())]

    before = counts()
    tracemalloc.start()
    try:
        for _ in range(1000):
            function(tree, **given)
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert counts() == before
    assert kept < 10_000


# ------------------------------------------------------------------------------------------------ threads and processes


@compiled_only
def test_many_threads_of_the_user_get_their_own_results(many_pieces):
    """Single states and batches, on different models, at the same time; long enough that they overlap."""
    tasks = []
    for seed, links in enumerate((5, 40, 80, 120)):
        model = random_description(seed, links).build()
        for name in ("rnea", "aba"):
            given = arguments(name, model, 40, seed)
            tasks.append((name, model, given, 2, FUNCTIONS[name](model, **given)))
            for k in range(4):
                one = part(given, k)
                tasks.append((name, model, one, None, FUNCTIONS[name](model, **one)))
    order = np.random.default_rng(3).integers(len(tasks), size=200)

    def work(k):
        name, model, given, threads, expected = tasks[k]
        for _ in range(10):
            same_bits(FUNCTIONS[name](model, **given, threads=threads), expected)

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(work, order)) == [None] * 200


def compute_in_child(model, given, expected):
    for _ in range(3):
        same_bits(rnea(model, **given, threads=2), expected)


@compiled_only
@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="this system has no fork")
def test_a_forked_process_makes_its_own_threads(tree, many_pieces):
    given = arguments("rnea", tree, 64)
    expected = rnea(tree, **given, threads=2)
    child = multiprocessing.get_context("fork").Process(target=compute_in_child, args=(tree, given, expected))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # Python warns of forks in processes with threads
        child.start()
    child.join(60)
    hanging = child.is_alive()
    if hanging:
        child.kill()
        child.join()
    assert not hanging
    assert child.exitcode == 0
    same_bits(rnea(tree, **given, threads=2), expected)


FIRST_CALLS = """
import threading
import numpy as np
from pluecker.articulated import kinetic_energy, potential_energy
from tests.mechanisms import random_description, random_state

model = random_description(3, 11).build()
s = random_state(model, 4, 9)
start, results = threading.Barrier(4), [None] * 4

def work(k):
    start.wait()
    inputs = [s["q"]] if k % 2 else [s["q"], s["v"]]
    function = potential_energy if k % 2 else kinetic_energy
    single = [function(model, *(x[i] for x in inputs)) for i in range(9)]
    results[k] = np.array([single, function(model, *inputs, threads=2)])

threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
for k in range(4):
    assert (results[k] == results[k % 2]).all()
    np.testing.assert_allclose(*results[k], rtol=1e-12)
"""


@compiled_only
@pytest.mark.everything
def test_the_first_calls_may_come_from_several_threads_at_once(tmp_path):
    """The cache is empty, so that all threads want to compile."""
    printed_by(FIRST_CALLS, PYTHONWARNINGS="error", NUMBA_CACHE_DIR=str(tmp_path))
