"""One source, any scalar: every kernel also runs on complex numbers, and so differentiates itself by the complex step.

No public function takes complex numbers: kernels are called as they are.
"""

import numpy as np
import pytest

from pluecker.articulated.running import algorithm as algorithm_module
from pluecker.articulated.running import single
from tests.conftest import COMPILED
from tests.mechanisms import random_description, random_state

ALGORITHMS = algorithm_module.ALGORITHMS
H = 1e-30

# Keys of the algorithms of a frame
KEYS = {
    "forward_kinematics": (("b7", "b2"),),
    "frame_placement": ("b7",),
    "frame_velocity": ("b7", "world"),
    "frame_acceleration": ("b7", "aligned", True),
    "jacobian": ("b7", "aligned"),
    "jacobian_dot": ("b7", "world"),
    "relative_jacobian": ("b7", "reference", "b4"),
    "relative_jacobian_dot": ("b7", "aligned", "b4"),
    "center_of_mass": ("b4",),
    "center_of_mass_velocity": (None,),
    "center_of_mass_acceleration": ("b4",),
    "center_of_mass_jacobian": (None,),
    "momentum": (None, True),
    "momentum_rate": ("b4", False),
    "centroidal_momentum_matrix": ("b4",),
    "centroidal_momentum_matrix_dot": (None,),
    "coriolis_matrix": (),
    "inertia_matrix_rate": (),
    "operational_inertia": (("b7",), "aligned", (1, 3, 5)),
    "InertiaFactor.product": ("LTL", "L^-T"),
}
# Every algorithm that needs no key or has one here, and those that take the place of others where there are mimic joints
KERNELS = {name: each for name, each in ALGORITHMS.items() if each.constants is None or name in KEYS}
KERNELS |= {f"{name} with mimic joints": each.with_mimic for name, each in KERNELS.items() if each.with_mimic}
# Without compilation all of them run at once; each takes seconds to compile for numbers that no public function has.
# Lanes show that kernels compile for scalars other than float64 (test_batches.py).
COMPILED_HERE = ("aba", "crba", "difference", "forward_kinematics", "integrate", "potential_energy", "rnea")
NAMES = COMPILED_HERE if COMPILED else tuple(KERNELS)


@pytest.fixture(scope="module")
def model():
    return random_description(11, 11).build()


def on_numbers(algorithm, model, inputs):
    """All results of the algorithm, one after the other, as public functions get them."""
    plan = algorithm.plan(model, KEYS.get(algorithm.name, ()))
    result = np.empty(plan.head.result_shape)
    assert (
        plan.algorithm.compute_state(single.Context(plan.head), [x.reshape(1, -1) for x in inputs], 0, result)
        == single.GOOD
    )
    return result.ravel()


def on_complex_numbers(algorithm, model, inputs):
    """Return all results of the algorithm, computed by its kernel on complex numbers."""
    key = KEYS.get(algorithm.name, ())
    order = algorithm.order(model, *key) if algorithm.order else np.arange(0)
    sizes = [int(order.max()) + 1] if len(order) else [field.size_for(model, key) for field in algorithm.outputs]
    outs, ws = [np.zeros(n, complex) for n in sizes], np.zeros(algorithm.workspace(model, *key), complex)
    head = algorithm.plan(model, key).head
    assert head.workspace == len(ws) + head.made
    constants = [algorithm.constants(model, *key)] if algorithm.constants else []
    algorithm.kernel(model.packed, *constants, *inputs, *outs, ws)
    return outs[0][order] if len(order) else np.concatenate(outs)


def state_for(algorithm, model):
    """Random inputs of one state, flat, in the kernel's order."""
    s = {key: values[0] for key, values in random_state(model, 3).items()}
    s |= {"q0": s["q"], "q1": random_state(model, 4)["q"][0]}
    rng = np.random.default_rng(4)
    return [
        np.ravel(s[field.name])
        if field.name in s
        else rng.uniform(0.5, 1.5, field.size_for(model))  # of a factor, some are pivots
        for field in algorithm.inputs
    ]


@pytest.mark.plain
@pytest.mark.parametrize("name", NAMES)
def test_kernel_on_complex_numbers_gives_value_and_derivative(name, model):
    algorithm = KERNELS[name]
    inputs = state_for(algorithm, model)
    rng = np.random.default_rng(5)
    direction = [rng.normal(size=x.shape) for x in inputs]
    plain = on_numbers(algorithm, model, inputs)
    stepped = on_complex_numbers(algorithm, model, [x + 1j * H * d for x, d in zip(inputs, direction, strict=True)])
    scale = np.abs(plain).max()
    np.testing.assert_allclose(stepped.real, plain, rtol=0.0, atol=1e-12 * scale)
    h = 1e-7  # quaternions stay of unit length to 1e-6
    ends = [
        on_numbers(algorithm, model, [x + sign * h * d for x, d in zip(inputs, direction, strict=True)])
        for sign in (1.0, -1.0)
    ]
    expected = (ends[0] - ends[1]) / (2 * h)
    np.testing.assert_allclose(stepped.imag / H, expected, rtol=0.0, atol=1e-6 * (np.abs(expected).max() + scale))
    assert np.abs(expected).max() > 0.0


@pytest.mark.plain
def test_both_ways_of_forward_dynamics_agree(model):
    """The recursion from body to body against the factorised inertia matrix: two algorithms, one answer."""
    one, two = (
        on_numbers(KERNELS[name], model, state_for(KERNELS[name], model)) for name in ("aba", "aba with mimic joints")
    )
    np.testing.assert_allclose(one, two, rtol=0.0, atol=1e-10 * np.abs(one).max())
