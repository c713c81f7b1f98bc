"""Functions of arrays: shapes, memory, one vector like a million, and what is refused.

The functions are found among all that the modules have: each is compiled for itself, and has to have these laws. What a
public function refuses, and in which memory its arguments may lie, is in ``test_every_function.py``.
"""

import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from pluecker import spatial
from pluecker.spatial.functions import elementwise, euler
from tests.conftest import EVERYTHING

FUNCTIONS = {
    f"{module.removeprefix('pluecker.').removeprefix('spatial.')}.{key}": thing
    for module in sorted(sys.modules)
    if module.startswith(("pluecker.spatial.", "pluecker.course."))
    for key, thing in vars(sys.modules[module]).items()
    if isinstance(thing, elementwise.Elementwise)
}
for number, way in enumerate(("to", "from")):
    for sequence in ("ZYX", "zxz"):
        FUNCTIONS[f"euler.{way}_{sequence}"] = euler.to_and_from(sequence)[number]
every = pytest.mark.parametrize("name", FUNCTIONS)
SPECIAL = {  # inputs that have to be something special
    "E": lambda rng, n: spatial.exp3(rng.normal(size=(n, 3))),
    "R": lambda rng, n: spatial.exp3(rng.normal(size=(n, 3))),
    "T": lambda rng, n: spatial.exp6(rng.normal(size=(n, 6))),
    "X": lambda rng, n: spatial.transform_from_placement(spatial.exp6(rng.normal(size=(n, 6)))),
    "I": lambda rng, n: spatial.spatial_inertia(1.0 + rng.random(n), rng.normal(size=(n, 3)), np.eye(3) + 0.1),
    "p": lambda rng, n: spatial.quaternion_exp(rng.normal(size=(n, 3))),
    "A": lambda rng, n: spatial.skew(rng.normal(size=(n, 3))),
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


def test_all_are_found():
    assert len(FUNCTIONS) > 70


@every
def test_one_at_a_time_is_the_same_to_the_bit(name):
    function = FUNCTIONS[name]
    for n in (1, 3, 8, 21):
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


def test_the_first_bad_entry_is_named():
    X = np.tile(np.eye(6), (20, 1, 1))
    X[17] *= 2.0
    with pytest.raises(ValueError, match=r"invert: a matrix is no Pluecker transform.*\(entry 17\)"):
        spatial.invert(X)
    with pytest.raises(ValueError, match=r"\(entry 3, 2\)"):
        spatial.invert(X.reshape(4, 5, 6, 6))


def test_many_threads_get_their_own_results():
    v, m = np.random.default_rng(0).normal(size=(2, 1000, 6))
    expected = spatial.cross_motion(v, m)
    with ThreadPoolExecutor(8) as pool:
        for found in pool.map(lambda _: spatial.cross_motion(v, m), range(64)):
            same_bits(found, expected)


ONE_TWO_THREE = ["functions.products.SKEW", "functions.products.CROSS_FORCE", "functions.rates.OF_POINT"]  # inputs


@pytest.mark.parametrize("name", FUNCTIONS if EVERYTHING else ONE_TWO_THREE)
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
