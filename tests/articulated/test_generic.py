"""One source, any scalar: every kernel also runs on complex numbers, and so differentiates itself by the complex step."""

import numpy as np
import pytest

from pluecker.articulated.algorithms.aba import aba_kernel, solve_kernel
from pluecker.articulated.algorithms.crba import crba_kernel, crba_with_mimic_kernel
from pluecker.articulated.algorithms.difference import difference_kernel
from pluecker.articulated.algorithms.forward_kinematics import (
    body_accelerations_kernel,
    body_velocities_kernel,
    forward_kinematics_kernel,
)
from pluecker.articulated.algorithms.gravity_force import gravity_force_kernel
from pluecker.articulated.algorithms.integrate import integrate_kernel
from pluecker.articulated.algorithms.kinetic_energy import kinetic_energy_kernel
from pluecker.articulated.algorithms.potential_energy import potential_energy_kernel
from pluecker.articulated.algorithms.rnea import joint_forces_kernel, rnea_kernel
from tests.mechanisms import random_description, random_state

H = 1e-30

KERNELS = {
    "rnea": (rnea_kernel, "nv"),
    "joint_forces": (joint_forces_kernel, "bodies"),
    "crba": (crba_kernel, "nv2"),
    "crba with mimic joints": (crba_with_mimic_kernel, "nv2"),
    "aba": (aba_kernel, "nv"),
    "aba with mimic joints": (solve_kernel, "nv"),
    "forward_kinematics": (forward_kinematics_kernel, "poses"),
    "body_velocities": (body_velocities_kernel, "bodies"),
    "body_accelerations": (body_accelerations_kernel, "bodies"),
    "gravity_force": (gravity_force_kernel, "nv"),
    "kinetic_energy": (kinetic_energy_kernel, "one"),
    "potential_energy": (potential_energy_kernel, "one"),
    "integrate": (integrate_kernel, "nq"),
    "difference": (difference_kernel, "nv"),
}


@pytest.fixture(scope="module")
def model():
    return random_description(11, 11).build()


def run(kernel, size, model, inputs, dtype):
    sizes = {
        "nv": model.nv, "nq": model.nq, "nv2": model.nv**2, "one": 1,
        "bodies": 6 * model.n_bodies, "poses": 16 * model.n_bodies,
    }  # fmt: skip
    out, ws = np.zeros(sizes[size], dtype), np.zeros(200 * (model.n_links + 1) + model.nv**2, dtype)
    kernel(model.packed, *(np.asarray(x, dtype) for x in inputs), out, ws)
    return out


@pytest.mark.parametrize("name", KERNELS)
def test_kernel_on_complex_numbers_gives_value_and_derivative(name, model):
    kernel, size = KERNELS[name]
    s = {key: values[0] for key, values in random_state(model, 3).items()}
    u = random_state(model, 4)["q"][0] if name == "difference" else s["a"]
    inputs = [s["q"], s["v"], u, s["f_ext"].ravel()]
    rng = np.random.default_rng(5)
    direction = [rng.normal(size=x.shape) for x in inputs]
    plain = run(kernel, size, model, inputs, np.float64)
    stepped = run(kernel, size, model, [x + 1j * H * d for x, d in zip(inputs, direction, strict=True)], np.complex128)
    scale = np.abs(plain).max()
    np.testing.assert_allclose(stepped.real, plain, rtol=0.0, atol=1e-12 * scale)
    h = 1e-6
    ends = [
        run(kernel, size, model, [x + sign * h * d for x, d in zip(inputs, direction, strict=True)], np.float64)
        for sign in (1.0, -1.0)
    ]
    expected = (ends[0] - ends[1]) / (2 * h)
    np.testing.assert_allclose(stepped.imag / H, expected, rtol=0.0, atol=1e-6 * (np.abs(expected).max() + scale))
    assert np.abs(expected).max() > 0.0


def test_both_ways_of_forward_dynamics_agree(model):
    """The recursion from body to body against the factorised inertia matrix: two algorithms, one answer."""
    s = {key: values[0] for key, values in random_state(model, 6).items()}
    inputs = [s["q"], s["v"], s["tau"], s["f_ext"].ravel()]
    one = run(aba_kernel, "nv", model, inputs, np.float64)
    two = run(solve_kernel, "nv", model, inputs, np.float64)
    np.testing.assert_allclose(one, two, rtol=0.0, atol=1e-10 * np.abs(one).max())
