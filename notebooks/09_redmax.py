# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 9. RedMax: all bodies, and one matrix that reduces them
#
# **The claim.** One matrix $J$ gives the velocities of all bodies from those of the joints, and its transpose removes
# all joint forces from the equations of the bodies. So full coordinates with constraints, and reduced coordinates
# without any, give the same accelerations, equal to rounding.
#
# You need: transforms and the cross product (notebooks 2 and 3), the equation of motion of one body (4), constraints
# (5), the inertia matrix $H$ (7).
#
# ## A question first
#
# A robot of $n$ bodies can be described in two ways.
#
# - *Maximal coordinates*: six velocities for each body, and a list of constraints, with a force for each of them.
# - *Reduced coordinates*: the velocities of the joints, and nothing else.
#
# 1. A chain of 9 bodies hangs on 9 hinges. How many unknowns (accelerations and constraint forces) has each
#    description?
# 2. $J$ has six rows for each body and a column for each joint. Which blocks of it are zero, for a trunk with two arms?
# 3. The reduced equations will contain a term with $\dot J$. Somebody forgets it in the simulation of a double pendulum
#    without friction. What happens to the energy?
#
# Write down what you expect.

# %%
import timeit

import matplotlib.pyplot as plt
import numpy as np

from exercises import chapter_09
from figures import BLUE, GREEN, GREY, ORANGE, RED, arrow2, axes3, space, use_style
from pluecker.articulated import (
    ModelBuilder,
    aba,
    body_jacobian,
    body_jacobian_dot,
    body_jacobian_dot_times,
    body_jacobian_transpose_times,
    body_velocities,
    crba,
    random_configuration,
    random_tree,
    redmax_dynamics,
    sparse_body_jacobian,
)
from pluecker.teaching import check_exercise

use_style()
rng = np.random.default_rng(9)

# %% [markdown]
# The first call of each of these functions compiles it; all together that takes up to a minute, once. The compiled code
# is kept on disk.
#
# ## Two joints as constraints
#
# In maximal coordinates a body has its centre of mass $x$, its rotation $R$, and its velocity $(\omega, v)$ in world
# axes, $v$ being that of the centre of mass. Newton and Euler, body by body:
#
# $$ \begin{pmatrix} I & \\ & m 1 \end{pmatrix} \begin{pmatrix} \dot\omega \\ \dot v \end{pmatrix}
#    = \begin{pmatrix} \tau - \omega \times I \omega \\ f \end{pmatrix},
#    \qquad\text{in short}\qquad M \dot u = f . $$
#
# A **ball joint** keeps a point of body 1 and a point of body 2 together. With the arms $r_k = R_k l_k$ from the
# centres of mass to the joint, differentiated once:
#
# $$ x_1 + r_1 = x_2 + r_2 \quad\Rightarrow\quad
#    v_1 + \omega_1 \times r_1 - v_2 - \omega_2 \times r_2 = 0 . $$
#
# These are three rows $G u = 0$. A **hinge** has two more: the relative angular velocity has no part across the axis
# $a$,
#
# $$ a_1 \cdot (\omega_1 - \omega_2) = 0, \quad a_2 \cdot (\omega_1 - \omega_2) = 0, \qquad a_1, a_2 \perp a , $$
#
# and not the three equations $a \times (\omega_1 - \omega_2) = 0$, of which only two are independent.

# %%
fig, panels = plt.subplots(1, 2, figsize=(7.0, 3.0), layout="constrained")
outline = np.array([np.cos(np.linspace(0, 2 * np.pi, 80)), 0.55 * np.sin(np.linspace(0, 2 * np.pi, 80))])
for panel, name in zip(panels, ("ball: 3 rows", "hinge: 5 rows"), strict=True):
    meet = np.zeros(2)
    for k, (center, turn, color, side) in enumerate(
        (((-1.15, -0.35), 0.3, BLUE, -10), ((1.1, -0.55), -0.5, ORANGE, 10)), start=1
    ):
        turned = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]]) @ outline
        panel.fill(*(1.25 * turned + np.array(center)[:, None]), color=color, alpha=0.18, lw=0)
        panel.plot(*center, "o", color=color, ms=5)
        arrow2(panel, center, meet - center, color)
        panel.annotate(f"$r_{k}$", 0.5 * np.array(center), xytext=(0, -14), textcoords="offset points", color=color)
        panel.annotate(f"body {k}", center, xytext=(side, -22), textcoords="offset points", color=color, ha="center")
    panel.plot(*meet, "o", ms=13, mfc="white", mec="0.15", mew=2)
    if name.startswith("hinge"):
        for step, label, color in (
            ((0.25, 1.1), "$a$", RED),
            ((0.85, -0.1), "$a_1$", "0.4"),
            ((-0.45, 0.6), "$a_2$", "0.4"),
        ):
            arrow2(panel, meet, step, color, label=label)
    panel.set(title=name, aspect="equal", xlim=(-2.6, 2.6), ylim=(-1.8, 1.5))
    panel.axis("off")
plt.show()

# %% [markdown]
# ## The robot, and the matrix J
#
# The robot of this notebook: a trunk that hangs on a ball joint, a second trunk body on a hinge, two arms. `parent[i]`
# carries body $i$; the joint of body $i$ stands at `place[i]` in the parent's frame, and the body's own frame stands in
# the joint. This is a tree: one joint for each body, nothing closes a loop.
#
# The ball has as coordinates the rotation vector $q$: $R = \exp([q])$. Its velocity coordinates are $\dot q$, and
# $\omega = B(q)\, \dot q$. Column $i$ of $B$ is found from
#
# $$ [B_i] = R^T \frac{\partial R}{\partial q_i}, \qquad
#    B = 1 - \frac{1 - \cos t}{t^2} [q] + \frac{t - \sin t}{t^3} [q]^2, \quad t = |q| . $$


# %%
def skew(a):
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def turn_by(q):
    """The rotation exp([q])."""
    t, s = np.linalg.norm(q), skew(q)
    return np.eye(3) + np.sin(t) / t * s + (1.0 - np.cos(t)) / t**2 * s @ s


def rate_map(q):
    """B(q), with w = B dq/dt in the axes of the body. Also for complex q."""
    t, zero = np.sqrt(q @ q), 0.0 * q[0]
    s = np.array([[zero, -q[2], q[1]], [q[2], zero, -q[0]], [-q[1], q[0], zero]])
    return np.eye(3) - (1.0 - np.cos(t)) / t**2 * s + (t - np.sin(t)) / t**3 * s @ s


some, h = np.array([0.4, -0.9, 0.3]), 1e-6
for i in range(3):  # R^T dR/dq_i is the cross product matrix of column i
    dR = (turn_by(some + h * np.eye(3)[i]) - turn_by(some - h * np.eye(3)[i])) / (2.0 * h)
    np.testing.assert_allclose(turn_by(some).T @ dR, skew(rate_map(some)[:, i]), atol=1e-9)

parent = [-1, 0, 1, 2, 1, 4]
kind = ["ball", "hinge", "hinge", "hinge", "ball", "hinge"]
place = np.array([[0, 0, 1.5], [0, 0, -0.4], [0.2, 0, -0.3], [0, 0, -0.4], [-0.2, 0, -0.3], [0, 0, -0.4]], dtype=float)
axis = np.array([[0, 0, 0], [0, 1, 0], [1, 0, 0], [1, 0, 0], [0, 0, 0], [0.6, 0.8, 0]], dtype=float)
center, moments = np.tile([0.03, 0.0, -0.2], (6, 1)), np.tile([0.02, 0.03, 0.01], (6, 1))
mass = np.array([3.0, 2.0, 1.0, 0.8, 1.0, 0.8])

width = [3 if k == "ball" else 1 for k in kind]
first = np.cumsum([0, *width])
columns = [slice(first[i], first[i + 1]) for i in range(6)]
n, nv = 6, int(first[-1])

builder = ModelBuilder("figure")
for i, p in enumerate(parent):
    builder.add_body(f"b{i}", mass[i], center[i], moments[i])
    carrier = "world" if p < 0 else f"b{p}"
    if kind[i] == "ball":
        builder.add_joint(f"j{i}", "exponential", carrier, f"b{i}", position=place[i])
    else:
        builder.add_joint(f"j{i}", "revolute", carrier, f"b{i}", axis[i], position=place[i])
model = builder.build()
q, v = rng.uniform(-1.0, 1.0, nv), rng.standard_normal(nv)
print(model)

# %% [markdown]
# The velocity of a body, its *twist* $\phi_i = (\omega_i, v_i)$ in its own coordinates, is that of the parent,
# transformed, plus what the joint adds. The difference of two twists that are measured in one frame is the joint's own,
# $S \dot q$, wherever the bodies are. So
#
# $$ \phi_i = X_i\, \phi_p + S_i\, \dot q_i . $$
#
# The same in words of [RedMax](https://doi.org/10.1145/3306346.3322952): $X$ is the adjoint $\mathrm{Ad}$ from the
# parent to the child. Put this recursion into itself, down to the world, and the twists of all bodies are linear in the
# velocities of all joints, $\phi = J \dot q$:
#
# $$ J_{ii} = S_i, \qquad J_{ia} = X_i\, J_{pa} \ \text{ for each ancestor } a . $$
#
# Its rate follows by the product rule, with $\dot X_i = - (S_i \dot q_i) \times X_i$ from notebook 3:
#
# $$ \dot J_{ii} = \dot S_i, \qquad \dot J_{ia} = \dot X_i\, J_{pa} + X_i\, \dot J_{pa} . $$


# %%
def crm(v):
    """The matrix of v x, for motions; for forces it is -crm(v).T."""
    return np.block([[skew(v[:3]), np.zeros((3, 3))], [skew(v[3:]), skew(v[:3])]])


def joint(i, q, v):
    """R from the child's axes to the parent's; S and its rate, (6, k)."""
    zero = np.zeros((3, width[i]))
    if kind[i] == "ball":
        step = 1e-30  # a complex step: the derivative of B along v, exact
        rate = rate_map(q + 1j * step * v).imag / step
        return turn_by(q), np.vstack([rate_map(q), zero]), np.vstack([rate, zero])
    s = np.concatenate([axis[i], np.zeros(3)])[:, None]
    return turn_by(q[0] * axis[i]), s, 0.0 * s


def jacobians(q, v):
    """J and its rate: document 002, algorithms 1 and 2."""
    J, Jdot = np.zeros((n, 6, nv)), np.zeros((n, 6, nv))
    for i in range(n):
        R, S, Sdot = joint(i, q[columns[i]], v[columns[i]])
        J[i][:, columns[i]], Jdot[i][:, columns[i]] = S, Sdot
        X = np.block([[R.T, np.zeros((3, 3))], [-R.T @ skew(place[i]), R.T]])
        Xdot = -crm(S @ v[columns[i]]) @ X
        a = parent[i]
        while a >= 0:
            k = columns[a]
            J[i][:, k] = X @ J[parent[i]][:, k]
            Jdot[i][:, k] = Xdot @ J[parent[i]][:, k] + X @ Jdot[parent[i]][:, k]
            a = parent[a]
    return J.reshape(6 * n, nv), Jdot.reshape(6 * n, nv)


J, Jdot = jacobians(q, v)
np.testing.assert_allclose(J, body_jacobian(model, q), atol=1e-14)
np.testing.assert_allclose(Jdot, body_jacobian_dot(model, q, v), atol=1e-13)
np.testing.assert_allclose((J @ v).reshape(n, 6), body_velocities(model, q, v), atol=1e-14)

h = 1e-6  # and against something that knows no recursion: differences along the motion
np.testing.assert_allclose(Jdot, (jacobians(q + h * v, v)[0] - jacobians(q - h * v, v)[0]) / (2.0 * h), atol=1e-8)

# %% [markdown]
# One row of blocks in a picture. Frames stand in the joints, in the axes of their bodies. Body 5 moves with the joints
# on its way to the world (thick), and with no other.


# %%
def rotations(q):
    """R of all bodies, to world axes."""
    R = []
    for i in range(n):
        own = joint(i, q[columns[i]], np.zeros(width[i]))[0]
        R.append(own if parent[i] < 0 else R[parent[i]] @ own)
    return R


pose = np.array([0.1, 0.05, 0.1, 0.25, 0.5, 0.9, 0.1, 0.6, 0.1, -0.6])
R, joints_at = rotations(pose), []
for i in range(n):
    joints_at.append(place[i] if parent[i] < 0 else joints_at[parent[i]] + R[parent[i]] @ place[i])
on_the_way, a = [], 5
while a >= 0:
    on_the_way, a = [a, *on_the_way], parent[a]

panel = space(size=0.6, center=(0.0, 0.0, 1.05), view=(12, -72))
panel.plot([0.0, 0.0], [0.0, 0.0], [1.7, 1.5], color="0.15", lw=1.0, ls=":")
panel.text(0.0, 0.0, 1.74, "world", ha="center")
for i in range(n):
    end, child = R[i] @ (2.0 * center[i]) + joints_at[i], [j for j in range(n) if parent[j] == i]
    color, lw = (BLUE, 4.0) if i in on_the_way else (GREY, 2.0)
    for tip in [joints_at[j] for j in child] or [end]:
        panel.plot(*np.array([joints_at[i], tip]).T, color=color, lw=lw, solid_capstyle="round")
    axes3(panel, R[i], joints_at[i], 0.14)
    aside, align = (-0.06, "right") if i >= 4 else (0.16, "left")
    panel.text(*(joints_at[i] + [aside, 0.0, 0.05]), f"{i}, {kind[i]}", ha=align, fontsize=9)
plt.show()
blocks_of_body_5 = [a for a in range(n) if np.abs(J[30:36, columns[a]]).max() > 0.0]
print("blocks in the rows of body 5: joints", blocks_of_body_5)
assert blocks_of_body_5 == on_the_way

# %% [markdown]
# ## The equations of motion
#
# In body coordinates each body obeys $M_i \dot\phi_i = - \phi_i \times^* M_i \phi_i + f_i + f_{\mathrm{joint},i}$, with
# the weight in $f_i$. All bodies together, with $\dot\phi = J \ddot q + \dot J \dot q$, and everything multiplied by
# $J^T$:
#
# $$ \underbrace{J^T M J}_{H}\, \ddot q = - J^T M \dot J \dot q + J^T f + \underbrace{J^T f_{\mathrm{joint}}}_{= 0} . $$
#
# The last term is zero because joint forces have no power in any motion that the joints allow:
# $f_{\mathrm{joint}} \cdot J \dot q = 0$ for **all** $\dot q$. (That is for joints without motors; the force $\tau$ of
# a motor is what remains of it, and is simply added on the right.)


# %%
def inertia(i):
    m, c = mass[i], skew(center[i])
    return np.block([[np.diag(moments[i]) - m * c @ c, m * c], [-m * c, m * np.eye(3)]])


def reduced(q, v):
    """H and the force of H a = tau + force."""
    J, Jdot = jacobians(q, v)
    M, f = np.zeros((6 * n, 6 * n)), np.zeros(6 * n)
    for i, R in enumerate(rotations(q)):
        k = slice(6 * i, 6 * i + 6)
        M[k, k], phi = inertia(i), J[k] @ v
        weight = mass[i] * R.T @ [0.0, 0.0, -9.81]
        f[k] = crm(phi).T @ M[k, k] @ phi + np.concatenate([np.cross(center[i], weight), weight])
    return J.T @ M @ J, J.T @ (f - M @ Jdot @ v)


H, force = reduced(q, v)
H_library, force_library = redmax_dynamics(model, q, v)
np.testing.assert_allclose(H, H_library, atol=1e-13)
np.testing.assert_allclose(force, force_library, atol=1e-12)

np.testing.assert_allclose(H, crba(model, q), atol=1e-13)  # recursions that make neither J nor M
tau = rng.standard_normal(nv)
qdd = np.linalg.solve(H, tau + force)
np.testing.assert_allclose(qdd, aba(model, q, v, tau), rtol=1e-10, atol=1e-10)

# %% [markdown]
# ## Reduced against maximal
#
# Now the other description. All bodies are free, with world axes and centres of mass; each joint is rows $G u = 0$.
# Differentiated once more, $G \dot u = - \dot G u$, and the forces of the constraints are $G^T \lambda$:
#
# $$ \begin{pmatrix} M & -G^T \\ -G & 0 \end{pmatrix} \begin{pmatrix} \dot u \\ \lambda \end{pmatrix}
#    = \begin{pmatrix} f \\ \dot G u \end{pmatrix} . $$


# %%
def maximal(q, v):
    """The accelerations [dw/dt; dv/dt] of all bodies and the joint forces on them, world axes, about centres of mass."""
    R, phi = rotations(q), (jacobians(q, v)[0] @ v).reshape(n, 6)
    w = np.array([R[i] @ phi[i, :3] for i in range(n)])
    M, f, G, drift = np.zeros((6 * n, 6 * n)), np.zeros(6 * n), [], []
    for i in range(n):
        M[6 * i : 6 * i + 3, 6 * i : 6 * i + 3] = I = R[i] @ np.diag(moments[i]) @ R[i].T
        M[6 * i + 3 : 6 * i + 6, 6 * i + 3 : 6 * i + 6] = mass[i] * np.eye(3)
        f[6 * i : 6 * i + 6] = [*-np.cross(w[i], I @ w[i]), 0.0, 0.0, -9.81 * mass[i]]

        p, rows, rate = parent[i], np.zeros((3, 6 * n)), np.zeros(3)
        for body, arm, sign in ((p, place[i] - (center[p] if p >= 0 else 0.0), 1.0), (i, -center[i], -1.0)):
            if body >= 0:
                r = R[body] @ arm
                rows[:, 6 * body : 6 * body + 6] = sign * np.hstack([-skew(r), np.eye(3)])
                rate += sign * np.cross(w[body], np.cross(w[body], r))
        G.append(rows)
        drift.append(rate)

        if kind[i] == "hinge":
            across = np.linalg.svd(axis[i][None])[2][1:] @ R[p].T  # two vectors, fixed in the parent
            rows = np.zeros((2, 6 * n))
            rows[:, 6 * p : 6 * p + 3], rows[:, 6 * i : 6 * i + 3] = across, -across
            G.append(rows)
            drift.append(np.cross(w[p], across) @ (w[p] - w[i]))
    G, drift = np.vstack(G), np.concatenate(drift)
    K = np.block([[M, -G.T], [-G, np.zeros((len(G), len(G)))]])
    z = np.linalg.solve(K, np.concatenate([f, drift]))
    return z[: 6 * n].reshape(n, 6), (G.T @ z[6 * n :]).reshape(n, 6), len(K)


acceleration, joint_force, unknowns = maximal(q, v)
print(f"maximal: {unknowns} unknowns; reduced: {nv}")

# %% [markdown]
# To compare, turn the reduced answer into accelerations of the centres of mass in world axes. The derivative of the
# twist is a spatial acceleration in body coordinates; the acceleration of a point that moves with the body is, as in
# notebook 3, $\dot v + \omega \times v_c$ plus $\dot\omega \times c$, with the velocity $v_c = v + \omega \times c$ of
# that point.

# %%
qdd = np.linalg.solve(*reduced(q, v))
J, Jdot = jacobians(q, v)
twist, rate = (J @ v).reshape(n, 6), (J @ qdd + Jdot @ v).reshape(n, 6)
expected = np.empty((n, 6))
for i, R in enumerate(rotations(q)):
    w, c = twist[i, :3], center[i]
    point = rate[i, 3:] + np.cross(rate[i, :3], c) + np.cross(w, twist[i, 3:] + np.cross(w, c))
    expected[i] = np.concatenate([R @ rate[i, :3], R @ point])

difference = np.abs(acceleration - expected).max() / np.abs(expected).max()
print(f"relative difference of the accelerations, maximal against reduced: {difference:.1e}")
np.testing.assert_allclose(acceleration, expected, rtol=0, atol=1e-12 * np.abs(expected).max())

# %% [markdown]
# Two descriptions that share nothing but the state agree to rounding. And the joint forces? The maximal solution has
# them. Taken to body coordinates and multiplied by $J^T$, they have to vanish.

# %%
wrench = np.empty((n, 6))
for i, R in enumerate(rotations(q)):
    f = R.T @ joint_force[i, 3:]
    wrench[i] = np.concatenate([R.T @ joint_force[i, :3] + np.cross(center[i], f), f])
vanishing = body_jacobian_transpose_times(model, q, wrench)
print(
    f"largest joint force: {np.abs(wrench).max():.0f} N or N m; largest entry of J' f_joint: {np.abs(vanishing).max():.0e}"
)
np.testing.assert_allclose(vanishing, 0.0, atol=1e-11)

# %% [markdown]
# **Question 1.** A chain of 9 hinges in maximal coordinates: $6 \cdot 9 = 54$ accelerations and $5 \cdot 9 = 45$
# forces. In reduced coordinates: 9. And in reduced coordinates the bodies *cannot* come apart, whatever the rounding;
# in maximal ones they drift, which is the subject of notebook 10. In exchange, maximal coordinates have no trouble with
# loops, and they tell the joint forces.
#
# ## A failure on purpose: without Jdot
#
# $H$ and $J^T f$ contain all masses, all forces, and the gyroscopic terms. Is $- J^T M \dot J \dot q$ worth the
# trouble? A double pendulum, no friction, integrated with and without it by the method of Runge and Kutta.

# %%
pendulum = ModelBuilder("double pendulum")
for k in range(2):
    pendulum.add_body(f"rod{k}", 1.0, (0.0, 0.0, -0.25), (0.02, 0.02, 0.001))
    carrier = "rod0" if k else "world"
    pendulum.add_joint(f"hinge{k}", "revolute", carrier, f"rod{k}", axis=(0, 1, 0), position=(0, 0, -0.5 * k))
double = pendulum.build()


def with_jdot(q, v):
    H, force = redmax_dynamics(double, q, v)
    return np.linalg.solve(H, force)


def without_jdot(q, v):
    H, force = redmax_dynamics(double, q, v)
    M = np.zeros((12, 12))
    M[:6, :6] = M[6:, 6:] = rod
    return np.linalg.solve(H, force + body_jacobian(double, q).T @ M @ body_jacobian_dot(double, q, v) @ v)


c = skew([0.0, 0.0, -0.25])
rod = np.block([[np.diag([0.02, 0.02, 0.001]) - c @ c, c], [-c, np.eye(3)]])


def energy(q, v):
    angles = np.cumsum(q)  # of the rods against the vertical
    heights = -0.25 * np.cos(angles) - np.array([0.0, 0.5 * np.cos(q[0])])
    return 0.5 * v @ redmax_dynamics(double, q, v)[0] @ v + 9.81 * heights.sum()


def motion(acceleration, q, v, steps=1500, h=2e-3):
    energies = [energy(q, v)]
    for _ in range(steps):
        slopes, x, u = [], q, v
        for share in (0.5, 0.5, 1.0, 0.0):
            slopes.append((u, acceleration(x, u)))
            x, u = q + share * h * slopes[-1][0], v + share * h * slopes[-1][1]
        weights = np.array([1.0, 2.0, 2.0, 1.0]) / 6.0
        q = q + h * sum(a * s[0] for a, s in zip(weights, slopes, strict=True))
        v = v + h * sum(a * s[1] for a, s in zip(weights, slopes, strict=True))
        energies.append(energy(q, v))
    return h * np.arange(steps + 1), np.array(energies)


start = np.array([2.0, 0.5]), np.zeros(2)
fig, panel = plt.subplots(figsize=(6.0, 3.2), layout="constrained")
for name, acceleration, color, line in (("with", with_jdot, BLUE, "-"), ("without", without_jdot, RED, "--")):
    t, E = motion(acceleration, *start)
    panel.plot(t, E, color=color, ls=line, label=rf"{name} $-J^T M \dot J \dot q$")
    print(f"{name:>8} the term: energy {E[0]:.4f} J at first, between {E.min():.4f} and {E.max():.4f} J later")
    if name == "with":
        np.testing.assert_allclose(E, E[0], atol=1e-4)
panel.set(xlabel="time / s", ylabel="energy / J")
panel.legend()
plt.show()
assert np.ptp(E) > 0.5

# %% [markdown]
# **Question 3.** The energy wanders up and down by joules: nothing in the answer looks broken at any moment, and it is
# wrong. The term is quadratic in the velocities, so that slow tests do not find it.
#
# ## The pattern of J
#
# A body does not know what joints beyond it do, nor those in another branch. The block of body $i$ and joint $a$ is
# zero unless $a$ is on the way from the body to the world: itself, or an ancestor. So $J$ has as many blocks as there
# are pairs of a body and a joint on its way, which is the sum of all depths.

# %%
human = [-1, 0, 1, 2]  # pelvis, two bodies of the trunk, head
for start_body, length in ((2, 6), (2, 6), (0, 6), (0, 6)):  # arms, legs
    for k in range(length):
        human.append(start_body if k == 0 else len(human) - 1)
chain = list(range(-1, len(human) - 1))


def way(parent, i):
    """The joints between a body and the world."""
    return [i, *way(parent, parent[i])] if i >= 0 else []


def tree(parent):
    builder = ModelBuilder()
    for i, p in enumerate(parent):
        builder.add_body(f"b{i}", 1.0, (0.1, 0.05, 0.0), (0.02, 0.02, 0.02))
        carrier = "world" if p < 0 else f"b{p}"
        builder.add_joint(f"j{i}", "revolute", carrier, f"b{i}", np.eye(3)[i % 3], position=(0.2, 0.0, 0.0))
    return builder.build()


fig, panels = plt.subplots(1, 2, figsize=(6.6, 3.7), layout="constrained")
for panel, (name, shape) in zip(panels, (("trunk, two arms, two legs", human), ("chain", chain)), strict=True):
    blocks = sparse_body_jacobian(tree(shape), rng.uniform(-1.0, 1.0, len(shape)), format="bsr")
    for i in range(len(shape)):
        for a in blocks.indices[blocks.indptr[i] : blocks.indptr[i + 1]]:
            panel.add_patch(plt.Rectangle((a - 0.42, i - 0.42), 0.84, 0.84, color=BLUE))
    depths = [len(way(shape, i)) for i in range(len(shape))]
    assert blocks.nnz == 6 * sum(depths)
    panel.set(
        xlim=(-0.6, len(shape) - 0.4), ylim=(len(shape) - 0.4, -0.6), aspect="equal", xlabel="joint", ylabel="body"
    )
    panel.set_title(f"{name}: {sum(depths)} of {len(shape) ** 2} blocks")
    panel.grid(visible=False)
plt.show()

# %% [markdown]
# Left, question 2 for a larger robot: each limb has a triangle of its own and a band for the trunk that carries it.
# Limbs do not meet one another. Right, the worst case: a chain, $n(n+1)/2$ blocks.
#
# ## Products without the matrix
#
# Even a sparse $J$ of a chain takes $\mathcal{O}(n^2)$ numbers. But nobody needs $J$ to compute $J x$: that is the
# recursion it came from, one transform for each body. The same holds for $J^T f$, from the leaves to the root, and for
# $\dot J x$. Cost: $\mathcal{O}(n)$.


# %%
def best_time(function, *given):
    """Seconds for one call: the best of five rounds of about 2 ms each."""
    timer = timeit.Timer(lambda: function(*given))
    timer.timeit(1)  # whatever is made once
    number = max(1, int(2e-3 / max(timer.timeit(1), 1e-6)))
    return min(timer.repeat(5, number)) / number


lengths = (4, 8, 16, 32, 64, 128, 256, 512)
names = ("make $J$, then $J x$", "$J x$", "$J^T f$", r"$\dot J x$")
times = {name: [] for name in names}
for size in lengths:
    long = tree(list(range(-1, size - 1)))
    x, rate = rng.uniform(-0.5, 0.5, size), rng.standard_normal(size)
    f = rng.standard_normal((size, 6))
    for name, function, given in zip(
        names,
        (
            lambda m, q, x: body_jacobian(m, q) @ x,
            body_velocities,
            body_jacobian_transpose_times,
            body_jacobian_dot_times,
        ),
        ((x, rate), (x, rate), (x, f), (x, rate, rate)),
        strict=True,
    ):
        times[name].append(best_time(function, long, *given))
    if size <= 64:
        big = body_jacobian(long, x)
        np.testing.assert_allclose((big @ rate).reshape(-1, 6), body_velocities(long, x, rate), atol=1e-9)
        np.testing.assert_allclose(big.T @ f.ravel(), body_jacobian_transpose_times(long, x, f), atol=1e-8)
        products = body_jacobian_dot_times(long, x, rate, rate).ravel()
        np.testing.assert_allclose(body_jacobian_dot(long, x, rate) @ rate, products, rtol=1e-9, atol=1e-7)

fig, panel = plt.subplots(figsize=(5.8, 3.5), layout="constrained")
for (name, row), color in zip(times.items(), (ORANGE, BLUE, GREEN, RED), strict=True):
    panel.loglog(lengths, 1e6 * np.array(row), "o-", ms=4, color=color, label=name)
guide = np.array([128.0, 512.0])
for power, height in ((1, 2.2), (2, 60.0)):
    panel.loglog(guide, height * (guide / 128.0) ** power, color=GREY, ls=":", lw=1.2)
    panel.annotate("$n$" if power == 1 else "$n^2$", (540, height * 4.0**power), color="0.4", fontsize=9, va="center")
panel.set(xlabel="joints of a chain", ylabel="time of one call / µs", xlim=(3, 800))
panel.legend()
plt.show()

# %% [markdown]
# A last check on mechanisms that nobody chose: random trees with all kinds of joints. The assembled equations and the
# recursions are the same.

# %%
for seed in range(3):
    wild = random_tree(12, seed)
    wild_q = random_configuration(wild, np.random.default_rng(seed))
    wild_v, wild_tau = np.random.default_rng(seed).standard_normal((2, wild.nv))
    H, force = redmax_dynamics(wild, wild_q, wild_v)
    np.testing.assert_allclose(
        np.linalg.solve(H, wild_tau + force), aba(wild, wild_q, wild_v, wild_tau), rtol=1e-6, atol=1e-6
    )

# %% [markdown]
# ## Exercises
#
# **9.1** How many blocks does $J$ store? `parent` is as above, `-1` for the world; each joint has one freedom.


# %%
def stored_blocks(parent):
    """The number of blocks of J that are not zero for every mechanism of this shape."""
    ...  # yours


check_exercise(stored_blocks, chapter_09.stored_blocks)

# %% [markdown]
# **9.2** A joint with three Euler angles: $R(q) = R_z(q_0)\, R_y(q_1)\, R_x(q_2)$, from body to parent axes. Find
# $B(q)$ with $\omega = B \dot q$ in the axes of the **body**, from $[B_i] = R^T\, \partial R / \partial q_i$. (At
# $q_1 = \pm \pi/2$ it is singular: gimbal lock.)


# %%
def euler_rate_map(q):
    """B, (3, 3)."""
    ...  # yours


check_exercise(euler_rate_map, chapter_09.euler_rate_map)

# %% [markdown]
# **9.3** One row of the rate of $J$. The parent's rows are `Jp` and `Jp_dot`, `(6, nv)`; the joint has the transform
# `X`, a constant motion subspace `S`, `(6, 1)`, and the velocity `rate`; its column is `k`. Return the rows of the
# child, of $\dot J$ only.


# %%
def rows_of_rate(X, S, rate, k, Jp, Jp_dot):
    """Six rows of the rate of J, (6, nv)."""
    ...  # yours


check_exercise(rows_of_rate, chapter_09.rows_of_rate)

# %% [markdown]
# **9.4** The five rows of a hinge in maximal coordinates. The velocities are $(\omega_1, v_1, \omega_2, v_2)$, angular
# parts first, of the centres of mass, in world axes; `r1` and `r2` are the arms from the centres of mass to the hinge,
# `a1` and `a2` two vectors across the axis. First the three rows of the point (velocity of body 1 minus that of body
# 2), then the two of the angular velocity.


# %%
def hinge_rows(r1, r2, a1, a2):
    """G, (5, 12)."""
    ...  # yours


check_exercise(hinge_rows, chapter_09.hinge_rows)

# %% [markdown]
# ## To remember
#
# - $\phi = J \dot q$, and $J_{ia} = X_i J_{pa}$: a block for each body and each joint on its way to the world.
# - $J^T$ removes the joint forces: $J^T M J\, \ddot q = \tau + J^T f - J^T M \dot J \dot q$. The last term cannot be
#   left out.
# - Maximal and reduced coordinates agree to rounding. The first tell the joint forces, the second cannot come apart.
# - Products with $J$, $J^T$ and $\dot J$ are one walk over the tree. The matrix is for looking at, and for solvers that
#   want it.
#
# **Next:** notebook 10 stays in maximal coordinates: loops, drift and its cures, soft constraints. Notebook 11 begins
# with contact and friction.
#
# **References.** Y. Wang et al., "REDMAX: Efficient & flexible approach for articulated dynamics", ACM TOG 38 (4),
# 2019, and the notes that come with it. R. Featherstone, *Rigid Body Dynamics Algorithms* (RBDA), sections 3.3, 4.4 and
# 5.3. A. Witkin and D. Baraff, *Physically Based Modeling*, SIGGRAPH course notes, 2001, for constraints. Source
# document 002: sections 1 and 2, (1) to (4); section 3, (5) to (8) and (12), with figures 1 to 3; section 4, (15) to
# (28), algorithms 1 and 2, figures 4 to 7. There the linear part comes first in maximal coordinates, here the angular
# part always does. Its figure 8, the loop, and its soft constraints belong to notebook 10; equation (13) there,
# $\lambda = -k J v$, is a damper and not the spring that the text says it is.
