"""Functions of arrays: shapes, memory, one vector like a million, and what is refused."""

import inspect
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from pluecker.spatial.course import screws
from pluecker.spatial.functions import (
    bases,
    coordinates,
    euler,
    lie,
    point_masses,
    products,
    quaternions,
    rates,
    rigid_body,
    scipy_rotations,
)
from pluecker.spatial.functions.elementwise import Elementwise
from tests.conftest import COMPILED

MODULES = (coordinates, products, lie, quaternions, rigid_body, euler, screws, rates)
FUNCTIONS = {
    f"{module.__name__.split('.')[-1]}.{key}": thing
    for module in MODULES
    for key, thing in vars(module).items()
    if isinstance(thing, Elementwise)
}
for number, way in enumerate(("to", "from")):
    for sequence in ("XYZ", "zxz"):
        FUNCTIONS[f"euler.{way}_{sequence}"] = euler.to_and_from(sequence)[number]
every = pytest.mark.parametrize("name", FUNCTIONS)
SPECIAL = {  # inputs that have to be something special
    "E": lambda rng, n: lie.exp3(rng.normal(size=(n, 3))),
    "R": lambda rng, n: lie.exp3(rng.normal(size=(n, 3))),
    "T": lambda rng, n: lie.exp6(rng.normal(size=(n, 6))),
    "X": lambda rng, n: coordinates.transform_from_placement(lie.exp6(rng.normal(size=(n, 6)))),
    "I": lambda rng, n: rigid_body.spatial_inertia(1.0 + rng.random(n), rng.normal(size=(n, 3)), np.eye(3) + 0.1),
    "p": lambda rng, n: quaternions.quaternion_exp(rng.normal(size=(n, 3))),
    "A": lambda rng, n: products.skew(rng.normal(size=(n, 3))),
    "inertia": lambda rng, n: np.tile(np.diag([1.0, 2.0, 2.5]), (n, 1, 1)),
}
SPECIAL["X1"] = SPECIAL["X2"] = SPECIAL["X"]


def inputs(function, n, seed=0):
    rng = np.random.default_rng(seed)
    return [
        SPECIAL[key](rng, n) if key in SPECIAL else 1.0 + rng.random((n, *shape))
        for key, shape in function.inputs.items()
    ]


def same_bits(x, y):
    assert x.shape == y.shape
    assert x.tobytes() == y.tobytes()


@every
@pytest.mark.parametrize("n", [1, 3, 8, 21])
def test_one_at_a_time_is_the_same_to_the_bit(name, n):
    function = FUNCTIONS[name]
    given = inputs(function, n)
    together = function(*given)
    assert together.shape == (n, *function.output)
    assert together.dtype == np.float64
    for k in range(n):
        same_bits(np.asarray(function(*[x[k] for x in given])), np.asarray(together[k]))


@every
def test_leading_axes_broadcast(name):
    function = FUNCTIONS[name]
    given = inputs(function, 12)
    whole = function(*given)
    shaped = [x.reshape(3, 4, *x.shape[1:]) for x in given]
    same_bits(function(*shaped), whole.reshape(3, 4, *function.output))
    for k in range(len(given)):  # one that stands for all, one that stands for each row
        some = [x if j == k else x[:1] for j, x in enumerate(shaped)]
        rows = [np.broadcast_to(x, (3, *x.shape[1:])) for x in some]
        same_bits(function(*some), function(*rows))
        column = [x if j == k else x[:, :1] for j, x in enumerate(shaped)]
        expected = [np.ascontiguousarray(np.broadcast_to(x, (3, 4, *x.shape[2:]))) for x in column]
        same_bits(function(*column), function(*expected))


@every
def test_an_empty_array_gives_an_empty_array(name):
    function = FUNCTIONS[name]
    assert function(*inputs(function, 0)).shape == (0, *function.output)


@every
def test_it_does_not_matter_how_inputs_lie_in_memory(name):
    function = FUNCTIONS[name]
    given = inputs(function, 9)
    expected = function(*given)
    frozen = [x.copy() for x in given]
    for x in frozen:
        x.setflags(write=False)
    same_bits(function(*frozen), expected)
    same_bits(function(*[np.asfortranarray(x) for x in given]), expected)
    same_bits(function(*[np.repeat(x, 2, axis=0)[::2] for x in given]), expected)
    same_bits(function(*[x.tolist() for x in given]), expected)
    same_bits(function(*[x.astype(x.dtype.newbyteorder()) for x in given]), expected)
    for before, after in zip(given, frozen, strict=True):
        same_bits(before, after)  # nothing was written to


@every
def test_a_number_that_is_not_finite_is_named(name):
    function = FUNCTIONS[name]
    for k, key in enumerate(function.inputs):
        for bad in (np.nan, np.inf, -np.inf):
            given = inputs(function, 13)
            given[k][(11, *np.zeros(given[k].ndim - 1, dtype=int))] = bad
            place = ", ".join(["11", *["0"] * (given[k].ndim - 1)])
            message = f"{function.name}: {key}[{place}] is {bad}, expected a finite number"
            with pytest.raises(ValueError, match=re.escape(message)):
                function(*given)


@every
def test_a_shape_that_does_not_fit_is_named(name):
    function = FUNCTIONS[name]
    for k, (key, shape) in enumerate(function.inputs.items()):
        if shape:
            given = inputs(function, 2)
            given[k] = given[k][..., :-1]
            with pytest.raises(ValueError, match=rf"{function.name}: {key} has shape .*, expected \(\.\.\., "):
                function(*given)
    if len(function.inputs) > 1:
        given = inputs(function, 3)
        given[0] = given[0][:2]
        with pytest.raises(ValueError, match=rf"{function.name}: the leading axes do not broadcast: "):
            function(*given)


@every
@pytest.mark.parametrize("bad", ["text", None, 1j, [[1.0], [2.0, 3.0]], np.ma.masked_array([1.0], [True])])
def test_what_is_no_array_of_real_numbers_is_a_type_error(name, bad):
    function = FUNCTIONS[name]
    with pytest.raises(TypeError, match=rf"{function.name}: {next(iter(function.inputs))} "):
        function(bad, *inputs(function, 1)[1:])


def test_integers_are_numbers():
    np.testing.assert_array_equal(products.skew([1, 2, 3]), [[0, -3, 2], [3, 0, -1], [-2, 1, 0]])
    assert products.scalar_product(np.arange(6), np.ones(6, dtype=np.float32)) == 15.0


def test_the_first_bad_entry_is_named():
    X = np.tile(np.eye(6), (20, 1, 1))
    X[17] *= 2.0
    with pytest.raises(ValueError, match=r"invert: a matrix is no Pluecker transform.*\(entry 17\)"):
        coordinates.invert(X)
    with pytest.raises(ValueError, match=r"\(entry 3, 2\)"):
        coordinates.invert(X.reshape(4, 5, 6, 6))


def test_every_public_function_says_shapes_errors_and_source():
    for module in (*MODULES, bases, point_masses, scipy_rotations):
        for name in module.__all__:
            if isinstance(getattr(module, name), type):
                continue
            text = inspect.getdoc(getattr(module, name))
            for part in ("Args:", "Returns:", "Raises:", "(..., "):
                assert part in text or name in ("to_scipy", "from_scipy"), (name, part)


def test_many_threads_get_their_own_results():
    v, m = np.random.default_rng(0).normal(size=(2, 1000, 6))
    expected = products.cross_motion(v, m)
    with ThreadPoolExecutor(8) as pool:
        for found in pool.map(lambda _: products.cross_motion(v, m), range(64)):
            same_bits(found, expected)


@every
def test_dask_applies_it_as_a_generalised_ufunc(name):
    array = pytest.importorskip("dask.array")
    function = FUNCTIONS[name]
    given = inputs(function, 10)
    chunked = [array.from_array(x, chunks=(4, *x.shape[1:])) for x in given]
    sizes = {f"d{n}": n for n in function.output}
    lazy = array.apply_gufunc(function, function.signature, *chunked, output_dtypes=float, output_sizes=sizes)
    same_bits(lazy.compute(scheduler="threads"), function(*given))


def test_no_two_compiled_functions_share_a_file_in_the_cache():
    """The cache goes by their names; on some systems capitals are not told apart in those of files."""
    names = [f.compiled.__name__.lower() for f in {f.kernel: f for f in FUNCTIONS.values()}.values()]
    assert len(set(names)) == len(names)
    sequences = [a + b + c for a in "xyz" for b in "xyz" for c in "xyz" if a != b != c]
    made = [f for s in (*sequences, *map(str.upper, sequences)) for f in euler.to_and_from(s)]
    assert len({f.kernel.__name__.lower() for f in made}) == 48


@pytest.mark.skipif(not COMPILED, reason="nothing is compiled with NUMBA_DISABLE_JIT=1")
def test_a_later_process_compiles_nothing(tmp_path):
    program = (
        "import numpy as np\nfrom numba.core import event\nfrom pluecker.spatial.functions.products import skew\n"
        "with event.install_recorder('numba:compile') as recorder:\n    skew([1.0, 2.0, 3.0])\nprint(len(recorder.buffer))"
    )
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    printed = [
        subprocess.run(
            [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
        ).stdout
        for _ in range(2)
    ]
    assert int(printed[0]) > 0
    assert int(printed[1]) == 0
