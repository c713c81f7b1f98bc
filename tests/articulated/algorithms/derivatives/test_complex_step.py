"""Derivatives by dual numbers against the complex step, which runs the same kernels on complex numbers.

Both differentiate each operation exactly; they differ by rounding, some hundred operations deep: 1e-12 of the largest entry.
Kernels take complex numbers where they are plain Python; compiled for them, each would take seconds. That is why what
:func:`derivative_of` would give an algorithm is looked up inside.
"""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import pluecker.articulated
from pluecker.articulated import crba, derivative_of, integrate
from pluecker.articulated.algorithms.derivatives.derivative_of import requested
from pluecker.articulated.running.algorithm import LEFT_OUT
from tests.articulated.algorithms.derivatives.test_derivatives import DIFFERENTIABLE, KINDS, arguments, results_of
from tests.articulated.model.test_mimic import build as build_for_mimic
from tests.conftest import COMPILED
from tests.mechanisms import random_description

pytestmark = [
    pytest.mark.plain,
    pytest.mark.skipif(COMPILED, reason="each kernel would take seconds to compile for complex numbers"),
]

H = 1e-30
CLOSE = 1e-12


@pytest.fixture(scope="module", params=["all joint types", "mimic joints"])
def model(request):
    if request.param == "mimic joints":
        return build_for_mimic(mimic=True)
    return random_description(2, len(KINDS), kinds=KINDS).build()


def by_complex_step(name, model, given):
    """Return the derivatives of each result by all inputs, from the kernel on complex numbers."""
    function = getattr(pluecker.articulated, name)
    met, inputs, key = requested(function, model, (), given)
    plan = met.plan(model, key)
    serving, head = plan.algorithm, plan.head
    flat = [np.zeros(0) if x is LEFT_OUT else np.asarray(x, dtype=float).ravel() for x in inputs]
    columns: list[list[np.ndarray]] = []
    for k, (field, x) in enumerate(zip(met.inputs, flat, strict=True)):
        if field.name not in inspect.signature(function).parameters or not x.size:
            continue
        directions = rates(model, x) if field.is_configuration else np.eye(x.size)
        for direction in directions:
            arrays = [y.astype(complex) for y in flat]
            arrays[k] += 1j * H * direction
            sizes = [head.made] if serving.order is not None else plan.sizes
            outs = [np.zeros(size, complex) for size in sizes]
            constants = [head.constants] if serving.constants is not None else []
            serving.kernel(model.packed, *constants, *arrays, *outs, np.zeros(head.workspace, complex))
            if serving.order is not None:
                outs = [outs[0][serving.order(model, *key)]]
            columns.append([(out.imag / H).reshape(shape) for out, shape in zip(outs, plan.shapes, strict=True)])
    return [np.stack(result, axis=-1) for result in zip(*columns, strict=True)]


def rates(model, q):
    """dq/dt of each unit velocity: how integrating for no time depends on the velocity."""
    return derivative_of(integrate)(model, q, np.zeros(model.nv), wrt="v").T


@pytest.mark.parametrize("name", DIFFERENTIABLE)
def test_the_derivative_of_every_algorithm_is_that_of_the_complex_step(name, model):
    if name == "operational_inertia" and model.mimic:
        pytest.skip("no body of this mechanism moves in six directions")
    given = arguments(name, model)
    found = results_of(derivative_of(name)(model, **given))
    for result, expected in zip(found, by_complex_step(name, model, given), strict=True):
        assert result.shape == expected.shape
        assert np.abs(expected).max() > 0.0
        np.testing.assert_allclose(result, expected, rtol=0.0, atol=CLOSE * max(1.0, np.abs(expected).max()))


@pytest.mark.parametrize("name", ["rnea", "aba"])
def test_derivatives_of_dynamics_are_those_of_the_complex_step(name, model):
    given = arguments(name, model)
    found = getattr(pluecker.articulated, f"{name}_derivatives")(model, *given.values())
    (expected,) = by_complex_step(name, model, given)
    for k, result in enumerate(found):
        truth = expected[:, k * model.nv : (k + 1) * model.nv]
        limit = CLOSE if name == "rnea" else np.linalg.cond(crba(model, given["q"])) * np.finfo(float).eps
        np.testing.assert_allclose(result, truth, rtol=0.0, atol=max(CLOSE, limit) * np.abs(truth).max())
