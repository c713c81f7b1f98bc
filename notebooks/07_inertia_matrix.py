# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 7. The inertia matrix: CRBA, zeros from branches, and Lagrange
#
# **Claim.** The entry $H_{ij}$ of the inertia matrix is $s_i \cdot I^c s_j$, with the inertia $I^c$ of all that both joints
# carry, frozen to one body. So the matrix is computed in one inward pass, and it is zero wherever two joints carry nothing
# in common.
#
# You need notebooks 4 to 6: inertias are added, $\tau = H \ddot q + C$, and inverse dynamics.
#
# ## Predict
#
# Two robots have seven hinges each. A is a chain. B has a waist that carries two arms with three hinges each.
#
# 1. **How many of the 49 entries of $H$ are zero in every posture, for A and for B?**
# 2. To find accelerations one solves $H \ddot q = \tau - C$, say by Cholesky's $H = L L^T$ with a lower triangle $L$.
#    **Does $L$ have zeros where the lower half of $H$ has?**

# %%
import matplotlib.pyplot as plt
import numpy as np

from exercises import chapter_07
from figures import BLUE, GREEN, GREY, ORANGE, use_style
from pluecker.articulated import (
    Model,
    ModelBuilder,
    coriolis_matrix,
    crba,
    crba_packed,
    derivative_of,
    factorize,
    inertia_matrix_rate,
    inertia_pattern,
    kinetic_energy,
    potential_energy,
    random_configuration,
    rnea,
    second_derivative_of,
)
from pluecker.articulated.robots import SEVEN_JOINT_ARM
from pluecker.spatial import cross_force
from pluecker.teaching import check_exercise

use_style()
rng = np.random.default_rng(7)

# %% [markdown]
# ## What H is
#
# The velocities of all bodies are linear in $\dot q$. So the kinetic energy is a quadratic form, and its matrix is $H$:
#
# $$ T = \tfrac12 \sum_i v_i \cdot I_i v_i = \tfrac12 \dot q^T H(q) \dot q . $$
#
# It is symmetric; it is positive definite if no joint moves without energy; and it depends on the posture, but not on
# velocities or gravity. In the equation of motion $\tau = H \ddot q + C$ it is the factor of the accelerations.
#
# **Column by column.** Let joint $j$ alone accelerate, with 1 rad/s², at rest and without gravity. The torques are column
# $j$ of $H$. Who accelerates? All bodies that joint $j$ carries, each with $s_j$, as if they were one rigid body; all others
# stay at rest. That one body has the inertia
#
# $$ I^c_j = I_j + \sum_{k \in \mu(j)} I^c_k \qquad \text{(inertias are added, notebook 4)}, $$
#
# and takes the force $I^c_j s_j$. This force comes from the base through all joints on the way: joint $j$, its parent's, and
# so on. Joint $i$ on that way has the torque
#
# $$ H_{ij} = s_i \cdot I^c_j s_j . $$
#
# A joint that is not on the way, and is not carried by $j$ either, passes no force: $H_{ij} = 0$. This is the *composite
# rigid body algorithm*, CRBA.


# %%
def skew(a):
    """a x"""
    x, y, z = a
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def turn(axis, angle):
    """The rotation matrix about coordinate axis 0, 1 or 2"""
    c, s = np.cos(angle), np.sin(angle)
    return np.roll(np.array([[1.0, 0, 0], [0, c, -s], [0, s, c]]), (axis, axis), (0, 1))


def in_the_world(robot, q):
    """Axes s (n, 6) and inertias I (n, 6, 6) at the posture q, all in the frame of the world"""
    R, p, s, I = [], [], [], []
    for (parent, axis, position, mass, center, J), angle in zip(robot, q, strict=True):
        R_parent, p_parent = (R[parent], p[parent]) if parent >= 0 else (np.eye(3), np.zeros(3))
        R.append(R_parent @ turn(axis, angle))
        p.append(p_parent + R_parent @ position)
        a, c = R[-1][:, axis], skew(p[-1] + R[-1] @ center)
        s.append(np.concatenate([a, np.cross(p[-1], a)]))
        I.append(np.block([[R[-1] @ np.diag(J) @ R[-1].T - mass * c @ c, mass * c], [mass * c.T, mass * np.eye(3)]]))
    return np.array(s), np.array(I)


def composite_rigid_bodies(parent, s, I):
    """H, in one inward pass"""
    n, Ic = len(parent), I.copy()
    H = np.zeros((n, n))
    for j in reversed(range(n)):
        f = Ic[j] @ s[j]  # moves all that joint j carries
        i = j
        while i >= 0:  # on the way to the base
            H[i, j] = H[j, i] = s[i] @ f
            i = parent[i]
        if parent[j] >= 0:
            Ic[parent[j]] += Ic[j]
    return H


# %% [markdown]
# ## Two hinges, by hand
#
# Everybody's first inertia matrix is that of two links in a plane, with angles $q_1, q_2$, the length $l_1$ to the second
# joint, and the lengths $c_1, c_2$ to the centres of mass:
#
# $$ H_{11} = J_1 + J_2 + m_1 c_1^2 + m_2 (l_1^2 + c_2^2 + 2 l_1 c_2 \cos q_2), \quad
#    H_{12} = J_2 + m_2 (c_2^2 + l_1 c_2 \cos q_2), \quad H_{22} = J_2 + m_2 c_2^2 . $$

# %%
# parent, axis (2 is z), place of the joint on the parent, mass, centre of mass, principal moments of inertia
two_links = [
    (-1, 2, np.zeros(3), 2.0, np.array([0.25, 0, 0]), (0.002, 0.04, 0.04)),
    (0, 2, np.array([0.5, 0, 0]), 1.5, np.array([0.2, 0, 0]), (0.001, 0.02, 0.02)),
]
angles = np.linspace(-np.pi, np.pi, 121)
found = np.array([composite_rigid_bodies([-1, 0], *in_the_world(two_links, [0.4, q2])) for q2 in angles])
H11 = 0.04 + 0.02 + 2.0 * 0.25**2 + 1.5 * (0.5**2 + 0.2**2 + 2 * 0.5 * 0.2 * np.cos(angles))
H12 = 0.02 + 1.5 * (0.2**2 + 0.5 * 0.2 * np.cos(angles))
np.testing.assert_allclose(found[:, 0, 0], H11, rtol=1e-13)
np.testing.assert_allclose(found[:, 0, 1], H12, rtol=1e-13, atol=1e-15)
np.testing.assert_allclose(found[:, 1, 1], 0.02 + 1.5 * 0.2**2, rtol=1e-13)

fig, ax = plt.subplots(figsize=(6.2, 2.9))
for row, column, color in ((0, 0, BLUE), (0, 1, ORANGE), (1, 1, GREEN)):
    ax.plot(np.degrees(angles), found[:, row, column], color=color)
    ax.text(184, found[-1, row, column], f"$H_{{{row + 1}{column + 1}}}$", color=color, va="center")
ax.axhline(0.0, color=GREY, lw=1)
ax.set(xlabel="angle of the elbow $q_2$ / degrees", ylabel="kg m²", xlim=(-180, 180), xticks=range(-180, 181, 90))
plt.show()

# %% [markdown]
# Stretched, the shoulder turns nearly three times the inertia that it turns with the arm folded, at ±180°. The coupling
# $H_{12}$ changes its sign: near folded, a forearm that is accelerated one way takes the upper arm along the same way, and
# not backwards.
#
# ## The two robots, and the library
#
# We build both as lists, and from the lists as models of the library.

# %%
chain = [-1, 0, 1, 2, 3, 4, 5]  # A
waist_and_arms = [-1, 0, 1, 2, 0, 4, 5]  # B


def robot_of(parents):
    """Links of 0.3 m and 2 kg, which turn about y and z by turns; the second arm of a waist begins beside the first"""
    J = (0.002, 0.016, 0.016)
    beside = [np.array([0.3 * (p >= 0), 0.3 * (k - p > 1), 0]) for k, p in enumerate(parents)]
    return [(p, 1 + k % 2, beside[k], 2.0, np.array([0.15, 0.03, 0.04]), J) for k, p in enumerate(parents)]


def model_of(robot):
    builder = ModelBuilder("by hand")
    for k, (parent, axis, position, mass, center, J) in enumerate(robot):
        builder.add_body(f"link{k}", mass=mass, center_of_mass=center, inertia=J)
        carrier = f"link{parent}" if parent >= 0 else "world"
        builder.add_joint(f"joint{k}", "revolute", carrier, f"link{k}", axis=np.eye(3)[axis], position=position)
    return builder.build()


A, B = robot_of(chain), robot_of(waist_and_arms)
model_A, model_B = model_of(A), model_of(B)
print(model_B)

q = rng.uniform(-1.5, 1.5, 7)
H_A, H_B = crba(model_A, q), crba(model_B, q)
np.testing.assert_allclose(composite_rigid_bodies(chain, *in_the_world(A, q)), H_A, atol=1e-13)
np.testing.assert_allclose(composite_rigid_bodies(waist_and_arms, *in_the_world(B, q)), H_B, atol=1e-13)

# %% [markdown]
# Two checks that know nothing of composite bodies: the columns by inverse dynamics (notebook 6), and the energy.

# %%
still, qd = np.zeros(7), rng.standard_normal(7)
for model, H in ((model_A, H_A), (model_B, H_B)):
    bias = rnea(model, q, still, still)  # gravity
    np.testing.assert_allclose(rnea(model, q, still, np.eye(7)) - bias, H, atol=1e-12)  # a batch: row j has qdd = e_j
    np.testing.assert_allclose(0.5 * qd @ H @ qd, kinetic_energy(model, q, qd), rtol=1e-12)

fig, panels = plt.subplots(1, 2, figsize=(6.4, 3.1))
for panel, H, title in zip(panels, (H_A, H_B), ("A: a chain", "B: a waist and two arms"), strict=True):
    size = np.where(H == 0.0, np.nan, np.log10(np.abs(H) + 1e-300))
    image = panel.imshow(size, cmap="viridis", vmin=-3, vmax=1, extent=(0.5, 7.5, 7.5, 0.5))
    panel.set(title=title, xlabel="column", xticks=range(1, 8), yticks=range(1, 8))
    panel.grid(False)
panels[0].set_ylabel("row")
fig.colorbar(image, ax=panels, label="$\\log_{10} |H_{ij}|$ / kg m²", shrink=0.85)
plt.show()
print("zeros of A:", np.sum(H_A == 0.0), "  zeros of B:", np.sum(H_B == 0.0))

# %% [markdown]
# **The first answer.** A has no zeros, B has 18: each joint of one arm with each of the other, twice. They come from how the
# robot branches, in every posture, and are exact. White is zero.
#
# ### Exercises 7.1 to 7.3


# %%
def inertia_by_columns(inverse_dynamics, n):
    """H (n, n) of a robot in some state; inverse_dynamics(a) gives all torques (n,) that accelerations a (n,) take."""
    ...  # yours


check_exercise(inertia_by_columns, chapter_07.inertia_by_columns)


# %%
def zeros_of_H(parent):
    """How many entries of H are zero in every posture; one hinge a body, parent[i] carries body i, -1 is the base."""
    ...  # yours


check_exercise(zeros_of_H, chapter_07.zeros_of_H)


# %%
def entry_of_H(parent, s, I, i, j):
    """H_ij alone, without the others; parent as above, axes s (n, 6) and inertias I (n, 6, 6) in the world's frame."""
    ...  # yours


check_exercise(entry_of_H, chapter_07.entry_of_H)

# %% [markdown]
# ## Do it wrong: throw the zeros away
#
# Cholesky's $H = L L^T$ eliminates the first coordinate first. That is the waist, to which everything is coupled; and once
# it is gone, each arm is coupled to the other through what the waist did.
#
# Begin at the other end: $H = L^T L$, with a lower triangle $L$ too, eliminates the last body first. It is coupled only to
# those that carry it, and these are coupled to each other already. No new entry appears, and the loops need only run along
# the way to the base:


# %%
def factor(H, parent):
    """L of H = L^T L, and the number of multiplications and divisions"""
    L, work = H.copy(), 0
    for k in reversed(range(len(parent))):
        L[k, k] = np.sqrt(L[k, k])
        i = parent[k]
        while i >= 0:
            L[k, i] /= L[k, k]
            work += 1
            i = parent[i]
        i = parent[k]
        while i >= 0:
            j = i
            while j >= 0:
                L[i, j] -= L[k, i] * L[k, j]
                work += 1
                j = parent[j]
            i = parent[i]
    return np.tril(L), work


usual = np.linalg.cholesky(H_B)
L, work = factor(H_B, waist_and_arms)
np.testing.assert_allclose(L.T @ L, H_B, atol=1e-12)
_, work_chain = factor(H_A, chain)

lower = np.tril(np.ones((7, 7), dtype=bool))
fig, panels = plt.subplots(1, 3, figsize=(7.2, 2.7), sharey=True)
shown = (H_B, "$H$"), (usual, "$L$ of $H = L L^T$"), (L, "$L$ of $H = L^T L$")
for panel, (matrix, title) in zip(panels, shown, strict=True):
    filled, new = (matrix != 0.0) & lower, (matrix != 0.0) & lower & (H_B == 0.0)
    for cells, color in ((filled & ~new, BLUE), (new, ORANGE)):
        row, column = np.nonzero(cells)
        panel.scatter(column + 1, row + 1, marker="s", s=150, color=color)
    panel.set(title=title, xlim=(0.4, 7.6), ylim=(7.6, 0.4), aspect="equal", xticks=range(1, 8), yticks=range(1, 8))
    panel.grid(False)
fig.tight_layout()
plt.show()
zero = lower & (H_B == 0.0)
print("zeros of H that L L^T fills:", np.sum(usual[zero] != 0.0), "  and L^T L:", np.sum(L[zero] != 0.0))
print("multiplications and divisions of L^T L: a chain", work_chain, "  a waist and two arms", work)

# %% [markdown]
# **The second answer.** No: Cholesky as everybody calls it fills all nine (orange). Its result is right; a bad order costs
# no digits, but work and memory. From the leaves to the root, nothing is filled. How much that is shows in a robot with more
# branches: a quadruped with a free base and three hinges a leg, $n = 18$.

# %%
quadruped = ModelBuilder("quadruped")
quadruped.add_body("trunk", mass=20.0, inertia=(0.3, 0.8, 1.0))
quadruped.add_joint("base", "free", "world", "trunk")
for name, x, y in (("fl", 0.3, 0.1), ("fr", 0.3, -0.1), ("hl", -0.3, 0.1), ("hr", -0.3, -0.1)):
    carrier, place = "trunk", (x, y, 0.0)
    for part, axis in (("hip", (1, 0, 0)), ("thigh", (0, 1, 0)), ("shank", (0, 1, 0))):
        quadruped.add_body(f"{name}_{part}", mass=1.0, center_of_mass=(0, 0, -0.1), inertia=(4e-3, 4e-3, 1e-3))
        quadruped.add_joint(f"{name}_{part}_joint", "revolute", carrier, f"{name}_{part}", axis=axis, position=place)
        carrier, place = f"{name}_{part}", (0.0, 0.0, -0.25)
quadruped = quadruped.build()
q4 = random_configuration(quadruped, rng)
H4 = crba(quadruped, q4)

rows, columns = inertia_pattern(quadruped)  # which entries of the lower half are not zero
packed = crba_packed(quadruped, q4)  # these alone
np.testing.assert_array_equal(packed, H4[rows, columns])
zeros = H4.size - (2 * len(packed) - quadruped.nv)
print(f"H has {H4.size} entries: {zeros} are zero in every posture, and {len(packed)} are all that one has to know")

b = rng.standard_normal(quadruped.nv)
x = factorize(quadruped, q4).solve(b)  # in the library L^T D L, without filling a zero
np.testing.assert_allclose(x, np.linalg.solve(H4, b), rtol=1e-8, atol=1e-10)

freedoms = [*range(-1, 5), *(5 if k % 3 == 0 else 5 + k for k in range(12))]  # a free joint is a chain of six freedoms
L4, work = factor(H4, freedoms)
np.testing.assert_allclose(L4.T @ L4, H4, atol=1e-12)
print(
    f"multiplications and divisions: {work} along the branches, {factor(H4, list(range(-1, 17)))[1]} in the full matrix"
)

# %% [markdown]
# ## Lagrange says the same
#
# The other road to equations of motion (document 004, item 11) knows no forces: take $L = T - V$, the difference of kinetic
# and potential energy, and
#
# $$ \frac{d}{dt} \frac{\partial L}{\partial \dot q} - \frac{\partial L}{\partial q} = \tau . $$
#
# If Newton, Euler and d'Alembert are right, this has to be inverse dynamics, to the last digit. Begin as one would without
# a library for robots: energies, and differences.

# %%
parent = np.array(waist_and_arms)


def lagrangian(robot, q, qd):
    """T - V from the velocities and heights of the bodies"""
    s, I = in_the_world(robot, q)
    v, L = np.zeros((len(robot), 6)), 0.0
    for i, p in enumerate(parent):
        v[i] = s[i] * qd[i] + (v[p] if p >= 0 else 0.0)
        height = I[i][1, 3]  # of m c x: its entry (y, x) is m z
        L += 0.5 * v[i] @ I[i] @ v[i] - 9.81 * height
    return L


def by_differences(q, qd, qdd, h=1e-3):
    """The left side, each derivative as a difference of second order"""
    unit = np.eye(len(q)) * h

    def p(q, qd):
        return np.array([lagrangian(B, q, qd + e) - lagrangian(B, q, qd - e) for e in unit]) / (2 * h)

    ahead, behind = (p(q + t * qd + t**2 * qdd / 2, qd + t * qdd) for t in (h, -h))
    dL_dq = np.array([lagrangian(B, q + e, qd) - lagrangian(B, q - e, qd) for e in unit]) / (2 * h)
    return (ahead - behind) / (2 * h) - dL_dq


qdd = rng.standard_normal(7)
tau = rnea(model_B, q, qd, qdd)
difference = np.abs(by_differences(q, qd, qdd) - tau).max()
print(f"Lagrange by differences and inverse dynamics: {difference:.0e} N m apart, of {np.abs(tau).max():.0f} N m")
assert difference < 1e-4

# %% [markdown]
# Differences see six digits. The library's derivatives are exact: `derivative_of(f)` is $f$ with dual numbers, and
# `second_derivative_of` goes on along a direction. The time derivative of $p = \partial L / \partial \dot q$ is its
# derivative along the motion, where $q$ moves with $\dot q$ and $\dot q$ with $\ddot q$.

# %%
arm = Model.from_urdf(SEVEN_JOINT_ARM)
q, qd, qdd = random_configuration(arm, rng), *rng.standard_normal((2, 7))

p_rate = second_derivative_of(kinetic_energy)(arm, q, qd, along={"q": qd, "v": qdd}, wrt="v")
dT_dq = derivative_of(kinetic_energy)(arm, q, qd, wrt="q")
dV_dq = derivative_of(potential_energy)(arm, q, wrt="q")
tau = rnea(arm, q, qd, qdd)
by_lagrange = p_rate - dT_dq + dV_dq
np.testing.assert_allclose(by_lagrange, tau, rtol=0, atol=1e-11)
print(f"with exact derivatives, on the arm of notebook 6: {np.abs(by_lagrange - tau).max():.0e} N m apart")

# %% [markdown]
# So what is all the Newton and Euler for? Work: the energies of $n$ bodies are differentiated by $2 n$ coordinates here, and
# the recursion of notebook 6 has the same numbers in two passes.
#
# The momentum is $p = H \dot q$. Lagrange's equation is thus
#
# $$ \tau = H \ddot q + \dot H \dot q - \frac{\partial T}{\partial q} + \frac{\partial V}{\partial q} . $$
#
# The terms of velocity can be written $C(q, \dot q)\, \dot q$ with the matrix of Christoffel's symbols, for which
# $\dot H - 2 C$ is antisymmetric. This is the power balance of notebook 6 in matrices.

# %%
H, H_rate, C = crba(arm, q), inertia_matrix_rate(arm, q, qd), coriolis_matrix(arm, q, qd)
np.testing.assert_allclose(H @ qd, derivative_of(kinetic_energy)(arm, q, qd, wrt="v"), atol=1e-13)
np.testing.assert_allclose(H_rate @ qd - dT_dq, C @ qd, atol=1e-12)
np.testing.assert_allclose(H_rate - 2 * C, -(H_rate - 2 * C).T, atol=1e-12)

# %% [markdown]
# ### Exercise 7.4
#
# With these parts, inverse dynamics is one line.


# %%
def lagrange_torques(H, H_rate, dT_dq, dV_dq, v, a):
    """tau (n,) from H and its rate (n, n), the derivatives of T and V by q (n,), velocity v and acceleration a (n,)."""
    ...  # yours


check_exercise(lagrange_torques, chapter_07.lagrange_torques)

# %% [markdown]
# ## Do it wrong: Lagrange with a body's angular velocity
#
# A free body has $q$ = position and quaternion, and its velocity coordinates are the spatial velocity $v$ in its own axes.
# The kinetic energy is $T = \frac12 v \cdot I v$, and does not depend on $q$ at all. Put that into Lagrange's equation:
# $\frac{d}{dt} I v = I \dot v$.

# %%
box = ModelBuilder("box", gravity=(0, 0, 0))
box.add_body("box", mass=1.0, inertia=(1.0, 2.0, 2.5))
box.add_joint("free", "free", "world", "box")
box = box.build()
x, v, a = random_configuration(box, rng), np.array([1.0, 2.0, 3.0, 0.0, 0, 0]), np.zeros(6)

p_rate = second_derivative_of(kinetic_energy)(box, x, v, along={"q": v, "v": a}, wrt="v")
dT_dq = derivative_of(kinetic_energy)(box, x, v, wrt="q")
right = rnea(box, x, v, a)
print("the moment in N m that keeps the angular velocity (1, 2, 3) of a box that spins")
print("by Lagrange's equation:", (p_rate - dT_dq)[:3].round(12) + 0.0)
print("by inverse dynamics:   ", right[:3].round(12) + 0.0)

# %% [markdown]
# Notebook 4 has shown that such a box tumbles unless somebody holds it: $\omega \times J \omega$ is not zero.
#
# Lagrange's equation is about coordinates and *their* rates. Angular velocity is not the rate of any coordinates: turn about
# $x$, then $y$, and you are elsewhere than by $y$, then $x$. For such velocities the equation has one term more, which
# Poincaré and Hamel found. For a free body it is $v \times^*$ of the momentum, known from the equation of motion:
#
# $$ \dot p + v \times^* p - \frac{\partial T}{\partial q} = f, \qquad p = \frac{\partial T}{\partial v} . $$

# %%
momentum_of_box = crba(box, x) @ v
np.testing.assert_allclose(p_rate + cross_force(v, momentum_of_box) - dT_dq, right, atol=1e-13)

# The box on coordinates, three Euler angles: there Lagrange holds as it stands.
gimbal = ModelBuilder("gimbal", gravity=(0, 0, 0))
gimbal.add_body("box", mass=1.0, inertia=(1.0, 2.0, 2.5))
gimbal.add_joint("angles", "euler_zyx", "world", "box")
gimbal = gimbal.build()
angles, rates, more = np.array([0.3, 0.5, -0.2]), np.array([1.0, -0.5, 2.0]), np.array([0.1, 0.2, 0.3])
p_rate = second_derivative_of(kinetic_energy)(gimbal, angles, rates, along={"q": rates, "v": more}, wrt="v")
dT_dq = derivative_of(kinetic_energy)(gimbal, angles, rates, wrt="q")
np.testing.assert_allclose(p_rate - dT_dq, rnea(gimbal, angles, rates, more), atol=1e-12)
# %% [markdown]
# ## What to remember
#
# - $T = \frac12 \dot q^T H \dot q$. A column of $H$ is inverse dynamics of a unit acceleration.
# - $H_{ij} = s_i \cdot I^c s_j$, with the composite inertia of all that both joints carry; nothing in common, zero.
# - Factorise from the leaves to the root, $H = L^T L$, and no zero is filled.
# - $\frac{d}{dt} \frac{\partial L}{\partial \dot q} - \frac{\partial L}{\partial q}$ *is* inverse dynamics, if $\dot q$ are
#   rates of coordinates.
#
# **Next.** To solve $H \ddot q = \tau - C$ costs $n^3$ at worst. Notebook 8 finds $\ddot q$ without $H$, in three passes.
#
# **References.** R. Featherstone, *Rigid Body Dynamics Algorithms* (2008), sections 6.2 to 6.5; M. Walker, D. Orin,
# "Efficient dynamic computer simulation of robotic mechanisms", *J. Dyn. Sys. Meas. Control* 104 (1982); R. Featherstone,
# "Efficient factorization of the joint-space inertia matrix for branched kinematic trees", *Int. J. Robotics Research* 24
# (2005). Source documents 001, section 53 (exercises B3, B4), and 004, item 11 (`docs/sources.md`).
