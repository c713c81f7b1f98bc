"""ERP, CFM, springs and dampers: one mass on one row, stepped each way."""

import numpy as np
import pytest

from pluecker.contact import soft_contact
from pluecker.contact.constraints import Softness, damper_of_multiplier, erp_cfm, spring_damper

CASES = [(1e4, 100.0, 0.01), (200.0, 0.0, 0.1), (0.0, 30.0, 1e-3), (1.0, 2.0, 3.0)]


@pytest.mark.parametrize(("k", "d", "h"), CASES)
def test_the_mapping_and_its_inverse(k, d, h):
    erp, cfm = erp_cfm(k, d, h)
    assert 0.0 <= erp <= 1.0
    assert cfm > 0.0
    assert spring_damper(erp, cfm, h) == pytest.approx((k, d), rel=1e-14, abs=1e-12)


@pytest.mark.parametrize(("k", "d", "h"), CASES)
def test_compliances_of_impulses_are_those_of_soft_contacts(k, d, h):
    erp, cfm = erp_cfm(k, d, h)
    compliance, share = soft_contact(k, d, h)
    assert (erp, cfm / h) == pytest.approx((float(share), float(compliance)), rel=1e-14)


@pytest.mark.parametrize(("k", "d", "h"), CASES)
def test_a_step_with_erp_and_cfm_is_the_implicit_step_of_the_spring(k, d, h):
    m, x, v = 2.0, 0.3, -1.0
    implicit = (v - h * k * x / m) / (1.0 + h * (h * k + d) / m)  # m (v+ - v) = -h (k (x + h v+) + d v+)
    erp, cfm = erp_cfm(k, d, h)
    # v+ = v + h f / m with v+ = -(erp / h) x - cfm f
    f = -(erp / h * x + v) / (h / m + cfm)
    assert v + h * f / m == pytest.approx(implicit, rel=1e-14)


def test_hard_rows_are_the_limit():
    assert erp_cfm(np.inf, 0.0, 0.01) == (1.0, 0.0)
    assert spring_damper(1.0, 0.0, 0.01) == (np.inf, 0.0)


def test_equation_13_is_a_damper_and_does_not_swing():
    # M (v+ - v) = J' lambda, lambda = -k J v+ an impulse: the velocity decays, with one sign, and no position comes in
    m, k, h, v = 2.0, 5.0, 0.1, 1.0
    equation = m * v / (m + k)
    stiffness, damping = damper_of_multiplier(k, step=h)
    assert stiffness == 0.0
    erp, cfm = erp_cfm(stiffness, damping, h)
    assert erp == 0.0
    f = -v / (h / m + cfm)
    assert v + h * f / m == pytest.approx(equation, rel=1e-15)
    assert equation > 0.0
    assert damper_of_multiplier(k) == (0.0, k)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: erp_cfm(-1.0, 0.0, 0.1), "stiffness is -1"),
        (lambda: erp_cfm(0.0, 0.0, 0.1), "both zero"),
        (lambda: erp_cfm(1.0, np.inf, 0.1), "damping is inf"),
        (lambda: erp_cfm(1.0, 1.0, 0.0), "step is 0"),
        (lambda: spring_damper(1.2, 0.0, 0.1), "erp is 1.2"),
        (lambda: spring_damper(0.5, 0.0, 0.1), "cfm is 0"),
        (lambda: damper_of_multiplier(-1.0), "k is -1"),
        (lambda: Softness(stiffness=np.nan), "stiffness is NaN"),
        (lambda: Softness(damping=1.0), "holds needs no damper"),
        (lambda: Softness(turning_stiffness=0.0), "both zero"),
    ],
)
def test_what_cannot_be_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
