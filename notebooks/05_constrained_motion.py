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
# # 5. Constrained motion: S and T, and two bodies
#
# **Claim.** A joint is a subspace $S$ of motions that it allows; its forces are the complement $T$, which does no work on
# them. With these two, the dynamics of a constrained body takes three lines, and the dynamics of two bodies seven equations
# where 3D vectors take thirty-two.
#
# You need notebooks 1 to 4: twists and wrenches, the scalar product of a motion and a force, $v \times$ and $v \times^*$,
# the spatial inertia $I$, and the equation of motion $f = I a + v \times^* I v$.
#
# ## Predict
#
# 1. A door of width $w$ hangs at rest on its hinges. Somebody pushes it, at a right angle, at the distance $d$ from the
#    hinges. The hinges push, too. **For which $d$ do they push against the hand, for which in the same direction, and where
#    do they not push at all?**
# 2. Two equal rods lie on ice, end to end in one line, joined by a hinge. You push the first one sideways at its centre.
#    Its mass is 1 kg. **How heavy does it feel: 2 kg, 1.5 kg, or how much? And which way does the far end of the second rod
#    go?**
#
# Write down your guesses. Both answers come out of the code below.

# %%
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Ellipse

from exercises import chapter_05
from figures import BLUE, GREY, ORANGE, RED, arrow2, use_style
from pluecker.course import (
    apparent_inverse_inertia_from_S,
    complement,
    constrained_acceleration_from_S,
    constrained_acceleration_from_T,
    constraint_multipliers,
    joint_space,
    motion_subspace,
    subspaces_of_constraints,
    two_body,
)
from pluecker.spatial import spatial_inertia
from pluecker.teaching import check_exercise

use_style()
rng = np.random.default_rng(5)

# %% [markdown]
# ## Two subspaces (course, sections 49 to 51)
#
# A body that is not free has velocities in a subspace $\mathcal S$ of $\mathsf M^6$. Its dimension $n$ is the number of
# freedoms. The constraint acts on the body with a force. That force does no work on any velocity that the constraint allows
# (the principles of d'Alembert and Jourdain), so it is in
#
# $$ \mathcal T = \{ f \in \mathsf F^6 : f \cdot v = 0 \text{ for all } v \in \mathcal S \}, \qquad
#    \dim \mathcal S + \dim \mathcal T = 6 . $$
#
# "Complement" here joins two *different* spaces. No length of a motion and no angle between two forces is needed, and
# none exists.
#
# A matrix stands for a subspace if its columns are a basis. Then, with any numbers $\alpha$ and $\lambda$,
#
# $$ v = S \alpha, \qquad T^T v = 0, \qquad f_c = T \lambda, \qquad S^T f_c = 0, \qquad S^T T = 0. $$
#
# (Some prints of the course give $S^T T = 0$ where the line about a constraint force has to be $S^T f_c = 0$.) The
# subspaces follow from the constraint; the matrices are not unique.
#
# The door hinges about the $z$ axis through the origin. So $\mathcal S$ has one basis vector, and $\mathcal T$ five.

# %%
S = np.array([[0.0, 0, 1, 0, 0, 0]]).T  # a unit rotation about z
T = np.delete(np.eye(6), 2, axis=1)  # all unit forces but the couple about z
print("S^T T =", S.T @ T)

np.testing.assert_allclose(S, motion_subspace("revolute", [0, 0, 1]))
np.testing.assert_allclose(T @ T.T, complement(S) @ complement(S).T, atol=1e-15)  # the same subspace

# %% [markdown]
# The library has $S$ for each kind of joint, and the complement, from $S$ to $T$ as well as from $T$ to $S$. A constraint
# can also be given by equations $A v = 0$, whose rows are constraint forces:

# %%
floor = [[0, 0, 0, 0, 0, 1], [1, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0]]  # no lifting, no tilting
S_floor, T_floor = subspaces_of_constraints(floor)
for kind in ("fixed", "revolute", "cylindrical", "spherical", "planar", "free"):
    axis = [0, 0, 1] if kind in ("revolute", "cylindrical", "planar") else None
    freedoms = motion_subspace(kind, axis)
    print(f"{kind:12s} freedoms {freedoms.shape[1]}, constraint forces {complement(freedoms).shape[1]}")
np.testing.assert_allclose(T_floor.T @ motion_subspace("planar", [0, 0, 1]), 0, atol=1e-15)

# %% [markdown]
# ## A constrained body at rest (section 52)
#
# The body has the inertia $I$. A known force $f$ acts on it, and the unknown constraint force $f_c$. At rest,
#
# $$ f + f_c = I a . $$
#
# Two unknowns, $a$ and $f_c$, and two ways to get rid of $f_c$.
#
# **With S.** Put in $a = S \dot\alpha$ and multiply by $S^T$, on which $f_c$ does no work:
#
# $$ S^T f = S^T I S \, \dot\alpha, \qquad a = S (S^T I S)^{-1} S^T f . $$
#
# **With T.** The acceleration satisfies $T^T a = 0$, and $f_c = T \lambda$:
#
# $$ T^T I^{-1} (f + T \lambda) = 0, \qquad \lambda = - (T^T I^{-1} T)^{-1} T^T I^{-1} f, \qquad
#    a = I^{-1} (f + T \lambda) . $$
#
# (In some prints the last factor $f$ of $\lambda$ is missing.) The first way solves $n$ equations, the second $6 - n$.


# %%
def skew(a):
    """a x"""
    x, y, z = a
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def inertia(m, c, J):
    """Notebook 4: about the origin, of a body with the centre of mass c and the inertia J about it."""
    cx = skew(c)
    return np.block([[J - m * cx @ cx, m * cx], [m * cx.T, m * np.eye(3)]])


def with_S(I, S, f):
    """Acceleration, and force of the constraint, by the freedoms"""
    a = S @ np.linalg.solve(S.T @ I @ S, S.T @ f)
    return a, I @ a - f


def with_T(I, T, f):
    """Return the acceleration from the constraint forces, and these forces"""
    W = np.linalg.inv(I)
    multipliers = -np.linalg.solve(T.T @ W @ T, T.T @ W @ f)
    return W @ (f + T @ multipliers), T @ multipliers


m, width, height = 20.0, 0.9, 2.0  # kg, m, m: the door, a thin plate in the x-z plane, hinges at x = 0
about_center = m / 12 * np.diag([height**2, width**2 + height**2, width**2])
I_door = inertia(m, [width / 2, 0, 0], about_center)


def push(F, d):
    """The wrench of a force F along y through the point (d, 0, 0)"""
    return np.array([0.0, 0.0, d * F, 0.0, F, 0.0])


for d in (0.1, 0.45, 0.6, 0.8):
    a, f_c = with_S(I_door, S, push(30.0, d))
    np.testing.assert_allclose(with_T(I_door, T, push(30.0, d)), (a, f_c), atol=1e-10)
    print(f"d = {d:.2f} m: the door starts with {a[2]:5.2f} rad/s^2, the hinges push with {f_c[4]:6.2f} N")

# %% [markdown]
# Now the library. It gives the same, and more of it: $\Phi = S (S^T I S)^{-1} S^T$ is the *apparent inverse inertia*, the
# inverse inertia of a body that can only move along $S$. It has rank $n$, here 1.

# %%
f = push(30.0, 0.8)
a, f_c = with_S(I_door, S, f)
np.testing.assert_allclose(I_door, spatial_inertia(m, [width / 2, 0, 0], about_center), atol=1e-14)
found = constrained_acceleration_from_S(I_door, S, f)
np.testing.assert_allclose(found.acceleration, a, atol=1e-12)
np.testing.assert_allclose(found.constraint_force, f_c, atol=1e-12)
np.testing.assert_allclose(T @ constraint_multipliers(I_door, T, f), f_c, atol=1e-12)
print("rank of Phi:", np.linalg.matrix_rank(found.apparent_inverse_inertia))

# %% [markdown]
# And something that knows nothing of 6D vectors: the moment of inertia of a thin plate about its edge is $m w^2 / 3$. So
# $\dot\omega = 3 F d / (m w^2)$. The centre of mass has the acceleration $\dot\omega\, w/2$, which takes a force
# $3 F d / (2 w)$, of which the hand gives $F$. The hinges give the rest:
#
# $$ f_\text{hinges} = F \Bigl( \frac{3 d}{2 w} - 1 \Bigr). $$

# %%
distances = np.linspace(0.0, width, 46)
hinges = np.array([with_S(I_door, S, push(1.0, d))[1][4] for d in distances])
np.testing.assert_allclose(hinges, 1.5 * distances / width - 1.0, atol=1e-12)

fig, (above, ax) = plt.subplots(1, 2, figsize=(7.6, 3.1), gridspec_kw={"width_ratios": [1, 1.5]})
above.plot([0, width], [0, 0], color=GREY, lw=7, solid_capstyle="butt")
above.plot(0, 0, "o", color=BLUE, ms=10, zorder=5)
arrow2(above, (0.3, -0.4), (0, 0.37), RED, width=2.5)
arrow2(above, (0, 0.3), (0, -0.26), BLUE, width=2.5)
above.annotate("", (0, -0.12), (0.3, -0.12), arrowprops={"arrowstyle": "<->"})
above.text(0.15, -0.19, "d", ha="center")
above.text(0.34, -0.36, "hand, F", color=RED)
above.text(0.05, 0.2, "hinges", color=BLUE)
above.text(0.6, 0.06, "door, w", color="0.4")
above.set(xlabel="x / m", ylabel="y / m", xlim=(-0.15, 1.0), ylim=(-0.5, 0.4), title="from above", aspect="equal")
above.grid(False)
ax.plot(distances / width, hinges, color=BLUE)
ax.axhline(0.0, color=GREY, lw=1)
ax.plot(2 / 3, 0.0, "o", color=RED)
ax.annotate(
    "centre of percussion,\nd = 2w/3", (2 / 3, 0.0), (0.06, 0.08), arrowprops={"arrowstyle": "->", "color": RED}
)
ax.text(0.36, -0.75, "hinges push\nagainst the hand", color=BLUE, ha="left")
ax.text(0.8, 0.42, "in the same direction", color=BLUE, ha="right")
ax.set(xlabel="where the hand pushes, d / w", ylabel="force of hinges / of hand", xlim=(0, 1))
fig.tight_layout()
plt.show()

# %% [markdown]
# **The first answer.** Next to the hinges they push back with nearly all of the force; at two thirds of the width they do
# nothing; beyond, they push in the *same* direction as the hand. That point is the centre of percussion, where a bat is to
# hit the ball.
#
# ### Exercise 5.1
#
# Write the constraint force of a body at rest, by the second way.


# %%
def constraint_force(I, T, f):
    """f_c (6,) for the inertia I (6, 6), constraint forces T (6, k) and the applied force f (6,); the body is at rest."""
    ...  # yours


check_exercise(constraint_force, chapter_05.constraint_force)

# %% [markdown]
# ## Do it wrong: project
#
# There is a way that looks shorter. Let the body accelerate as if it were free, $I^{-1} f$, and keep the part along $S$:
# $a = S (S^T S)^{-1} S^T I^{-1} f$. After all, that is how one projects on a subspace.


# %%
def by_projection(I, S, f):
    """Wrong"""
    return S @ np.linalg.solve(S.T @ S, S.T @ np.linalg.solve(I, f))


def moved(r):
    """X to a frame with the same axes and its origin at r (notebook 2)"""
    return np.block([[np.eye(3), np.zeros((3, 3))], [-skew(r), np.eye(3)]])


f = push(30.0, 0.3)
for where, r in {"hinge": (0, 0, 0), "centre of the door": (width / 2, 0, 0), "handle": (width, 0, 0)}.items():
    X = moved(r)
    X_force = np.linalg.inv(X).T
    I_there, S_there, f_there = X_force @ I_door @ np.linalg.inv(X), X @ S, X_force @ f
    right, wrong = with_S(I_there, S_there, f_there)[0][2], by_projection(I_there, S_there, f_there)[2]
    print(f"origin at the {where:18s}  right: {right:6.3f} rad/s^2   by projection: {wrong:6.3f} rad/s^2")

# %% [markdown]
# The door cannot care where we put the origin, but the projection does; and from all three it has the door come towards the
# hand that pushes. The reason is $S^T S$: a sum of squares of rad/s and m/s. Motions have no lengths and no angles. The
# right formula has $S^T I S$, which is a kinetic energy, and $S^T f$, which is a power.
#
# What may be chosen freely is the basis. With $S G$ for any invertible $G$, nothing changes:

# %%
I_any = inertia(2.0, rng.normal(size=3), np.diag([0.2, 0.3, 0.4]))
S_any, G = rng.normal(size=(6, 3)), rng.normal(size=(3, 3))
np.testing.assert_allclose(
    apparent_inverse_inertia_from_S(I_any, S_any @ G), apparent_inverse_inertia_from_S(I_any, S_any), atol=1e-9
)

# %% [markdown]
# ## A body that moves (exercises 53.B1 and 53.B2)
#
# **B1.** Without the assumption of rest, $a = S \dot\alpha + \dot S \alpha$ and $f + f_c = I a + v \times^* I v$. As before,
# put the first into the second and multiply by $S^T$:
#
# $$ \dot\alpha = (S^T I S)^{-1} S^T \bigl( f - I \dot S \alpha - v \times^* I v \bigr), \qquad
#    a = \Phi f + b, \qquad b = \dot S \alpha - \Phi \bigl( I \dot S \alpha + v \times^* I v \bigr). $$
#
# **B2.** If the body carries the freedoms along, $\dot S = v \times S$, then
#
# $$ \dot S \alpha = v \times S \alpha = v \times v = 0, \qquad a = S \dot\alpha . $$
#
# And from $T^T S = 0$ follows $\dot T^T S \alpha + T^T \dot S \alpha = 0$, so that $\dot T^T v = 0$, too: no bias. A door is
# such a case.
#
# A universal joint is not. Its first axis stands in space, the second is carried by the first; so
# $\dot s_1 = 0$ and $\dot s_2 = s_1 \dot q_1 \times s_2$. We hang a pendulum on one: 1 kg, half a metre.


# %%
def crm(v):
    """v x, for motions (notebook 3)"""
    return np.block([[skew(v[:3]), np.zeros((3, 3))], [skew(v[3:]), skew(v[:3])]])


ROD = 0.5  # m, from the joint to the centre of mass
J = np.diag([0.02, 0.03, 0.01])  # kg m^2 about the centre of mass, in axes of the body
GRAVITY = np.array([0.0, 0.0, -9.81])


def pendulum(q, qd):
    """At a state of the universal joint: I, S, dS/dt, the wrench of the weight, and the bob's place; in world axes."""
    c1, s1, c2, s2 = np.cos(q[0]), np.sin(q[0]), np.cos(q[1]), np.sin(q[1])
    first = np.array([[1.0, 0, 0], [0, c1, -s1], [0, s1, c1]])  # about the x axis
    R = first @ np.array([[c2, 0, s2], [0, 1.0, 0], [-s2, 0, c2]])  # then about the y axis that it has turned
    S = np.zeros((6, 2))
    S[0, 0], S[:3, 1] = 1.0, first[:, 1]
    S_rate = np.stack([np.zeros(6), crm(S[:, 0] * qd[0]) @ S[:, 1]], axis=1)
    c = R @ [0.0, 0.0, -ROD]
    return inertia(1.0, c, R @ J @ R.T), S, S_rate, np.concatenate([np.cross(c, GRAVITY), GRAVITY]), c


def alpha_rate(q, qd, keep_S_rate=True):
    """qdd from B1; without the rate of S if asked for, which is wrong"""
    I, S, S_rate, f, _ = pendulum(q, qd)
    v = S @ qd
    drift = S_rate @ qd if keep_S_rate else np.zeros(6)
    return np.linalg.solve(S.T @ I @ S, S.T @ (f - I @ drift + crm(v).T @ I @ v))  # v x* = -(v x)^T


q, qd = np.array([0.9, 0.7]), np.array([2.0, -3.0])
I, S_uni, S_rate, f, _ = pendulum(q, qd)
by_S = constrained_acceleration_from_S(I, S_uni, f, qd, S_rate)
np.testing.assert_allclose(by_S.acceleration, S_uni @ alpha_rate(q, qd) + S_rate @ qd, rtol=1e-12, atol=1e-12)

T_uni = complement(S_uni)
T_rate = -np.linalg.pinv(S_uni).T @ S_rate.T @ T_uni  # any matrix will do for which dT^T S = -T^T dS
by_T = constrained_acceleration_from_T(I, T_uni, f, S_uni @ qd, T_rate)
np.testing.assert_allclose(by_T.acceleration, by_S.acceleration, rtol=1e-10, atol=1e-10)

carried = crm(S_uni @ qd) @ S_uni  # B2: if the body carried both axes
np.testing.assert_allclose(carried @ qd, 0.0, atol=1e-14)

# %% [markdown]
# Is it right? A constraint force does no work, so that the energy $\frac12 v \cdot I v + m g z$ of the pendulum stays. We
# let it swing for three seconds, and once more with the *wrong* formula that forgets $\dot S \alpha$.


# %%
def swing(keep_S_rate, steps=1500, h=2e-3):
    """States and energies, by the method of Runge and Kutta"""

    def rate(x):
        return np.concatenate([x[2:], alpha_rate(x[:2], x[2:], keep_S_rate)])

    x, path, energy = np.array([1.2, 0.3, 0.0, 2.5]), [], []
    for _ in range(steps):
        I, S, _, _, c = pendulum(x[:2], x[2:])
        v = S @ x[2:]
        path.append(c)
        energy.append(0.5 * v @ I @ v + 9.81 * c[2])
        k1 = rate(x)
        k2 = rate(x + h / 2 * k1)
        k3 = rate(x + h / 2 * k2)
        k4 = rate(x + h * k3)
        x = x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return np.array(path), np.array(energy)


path, energy = swing(True)
wrong_path, wrong_energy = swing(False)
assert np.ptp(energy) < 1e-6, "the energy stays, to the error of the integration"
assert np.ptp(wrong_energy) > 0.1, "and so it does not without dS/dt"

fig, (left, right) = plt.subplots(1, 2, figsize=(7.2, 3.2), gridspec_kw={"width_ratios": [1, 1.25]})
for line, color, label in ((path, BLUE, "right"), (wrong_path, ORANGE, "without $\\dot S\\alpha$")):
    left.plot(line[:, 0], line[:, 1], color=color, label=label)
left.plot(*path[0, :2], "o", color="black", ms=4, zorder=5)
left.annotate("start", path[0, :2], (5, 3), textcoords="offset points")
left.set(xlabel="x / m", ylabel="y / m", aspect="equal", title="the bob, seen from above")
time = 2e-3 * np.arange(len(energy))
right.plot(time, energy, color=BLUE, label="right")
right.plot(time, wrong_energy, color=ORANGE, label="without $\\dot S\\alpha$")
right.set(xlabel="time / s", ylabel="energy / J", title="energy")
right.legend(loc="best")
fig.tight_layout()
plt.show()
print(f"the energy changes by {np.ptp(energy):.1e} J, and by {np.ptp(wrong_energy):.2f} J without the rate of S")

# %% [markdown]
# ## The equation of motion of the freedoms (exercises 53.B3 and 53.B4)
#
# Systems of rigid bodies have equations of motion $\tau = H \ddot q + C$. With $\ddot q = \dot\alpha$ and
# $\tau = S^T f$, the constrained body has one, too. What are $H$ and $C$? Rearrange B1.
#
# ### Exercise 5.2


# %%
def equation_of_motion(I, S, S_rate, alpha):
    """(H, C) of S^T f = H d(alpha)/dt + C, (n, n) and (n,); I (6, 6), S and its rate (6, n), alpha (n,)."""
    ...  # yours


check_exercise(equation_of_motion, chapter_05.equation_of_motion)

# %% [markdown]
# ### Exercise 5.3
#
# The kinetic energy is $\frac12 v \cdot I v$. Write it as a function of $\alpha$. What has $H$ to do with it? (The course
# calls it the defining property of $H$; notebook 7 begins with it.)


# %%
def kinetic_energy(I, S, alpha):
    """Energy in J of a body with the inertia I (6, 6) and the velocity S alpha; S (6, n), alpha (n,)."""
    ...  # yours


check_exercise(kinetic_energy, chapter_05.kinetic_energy)

# %%
H, C = joint_space(I, S_uni, qd, S_rate)  # the library's answer to both
np.testing.assert_allclose(0.5 * qd @ H @ qd, 0.5 * (S_uni @ qd) @ I @ (S_uni @ qd), rtol=1e-13)
np.testing.assert_allclose(np.linalg.solve(H, S_uni.T @ f - C), alpha_rate(q, qd), rtol=1e-12)

# %% [markdown]
# ## Two bodies and a joint
#
# Bodies $B_1$ and $B_2$ are joined by a hinge, and at rest. A force acts on $B_1$. How does $B_1$ accelerate? The course
# solves this twice. Here are the quantities of the two ways (figures 1 and 2 of its last part).

# %%
fig, panels = plt.subplots(1, 2, figsize=(7.6, 2.9))
turning = {"arrowstyle": "-|>", "connectionstyle": "arc3,rad=-0.9", "lw": 1.8}
for panel in panels:
    for center, name, color in (((0.0, 0.0), "$B_1$", BLUE), ((1.9, 0.0), "$B_2$", ORANGE)):
        panel.add_patch(Ellipse(center, 2.0, 1.2, facecolor=color, alpha=0.18, edgecolor=color))
        panel.text(center[0], 0.72, name, color=color, ha="center")
    panel.plot(0.95, 0.1, "o", color="white", mec="black", ms=8, zorder=6)
    panel.set(xlim=(-1.6, 3.0), ylim=(-1.1, 1.0), aspect="equal")
    panel.axis("off")
in_3d, in_6d = panels
for center, tag in (((-0.1, -0.1), "1"), ((2.0, -0.15), "2")):
    in_3d.plot(*center, "k.", ms=8)
    in_3d.text(center[0], center[1] - 0.32, f"$C_{tag}$\n$m_{tag}, I_{tag}$", ha="center", va="center", fontsize=9)
    arrow2(in_3d, center, (0.95 - center[0], 0.1 - center[1]), GREY, width=1.3)
    in_3d.text((0.95 + center[0]) / 2, 0.13, f"$r_{tag}$", color="0.35", ha="center")
in_3d.text(0.95, 0.52, "$P, s$", ha="center")
arrow2(in_3d, (-1.4, -0.5), (1.25, 0.385), RED, width=2.2)
in_3d.text(-1.45, -0.42, "$f$", color=RED)
in_3d.annotate("", (0.1, 0.22), (-0.4, 0.22), arrowprops={**turning, "color": RED})
in_3d.text(-0.62, 0.2, "$n$", color=RED)
in_3d.set_title("with 3D vectors: $a_1, \\dot\\omega_1$ of $f, n$")
in_6d.text(-0.1, -0.1, "$I_1$", ha="center")
in_6d.text(2.0, -0.1, "$I_2$", ha="center")
in_6d.text(0.95, 0.52, "$s$", ha="center")
arrow2(in_6d, (-1.4, -0.5), (1.25, 0.385), RED, width=2.2)
in_6d.text(-1.45, -0.42, "$f$", color=RED)
in_6d.set_title("with 6D vectors: $a_1$ of $f$")
plt.show()

# %% [markdown]
# ### With 6D vectors: seven equations (section 58)
#
# Let $f_J$ be the force that the joint passes from $B_1$ to $B_2$, and $s$ the joint's axis. All is at rest, so that
# $\alpha$ is an acceleration here, as in the course: what was $\dot\alpha$ above.
#
# | | |
# |---|---|
# | (B1) $f - f_J = I_1 a_1$ | motion of $B_1$ |
# | (B2) $f_J = I_2 a_2$ | motion of $B_2$ |
# | (B3) $a_2 = a_1 + s \alpha$ | the joint lets $B_2$ turn about $s$ |
# | (B4) $s \cdot f_J = 0$ | and does no work |
#
# These are the laws; the other three equations are the solution. (B3) into (B2) gives (B5) $f_J = I_2 (a_1 + s \alpha)$;
# that into (B4) gives (B6) $\alpha = - s \cdot I_2 a_1 / s \cdot I_2 s$; and both into (B1) give
#
# $$ \text{(B7)} \qquad f = \Bigl( I_1 + I_2 - \frac{I_2 s\, s^T I_2}{s^T I_2 s} \Bigr) a_1 . $$
#
# The bracket is the inertia of $B_1$ as it is felt with $B_2$ hanging on it. The second and third term together are what is
# felt of $B_2$: nothing if $a_1$ is along $s$, where the joint gives way, and never a negative energy. So the bracket is
# symmetric and positive definite, as $I_1$ is. Notebook 8 is about nothing else: a robot of a hundred bodies is this
# equation, ninety-nine times.
#
# ### With 3D vectors: thirty-two equations (section 57)
#
# Let $C_1, C_2$ be the centres of mass, $P$ a point of the axis, $r_1 = \overrightarrow{C_1 P}$,
# $r_2 = \overrightarrow{C_2 P}$. Each body has an equation for its force and one for its couple; each vector has to be moved
# from its centre to $P$ by a rule of its own. $f$ and $n$ are the force at $C_1$ and the couple from outside; $f_i, n_i$ are
# what $B_i$ takes in all, about $C_i$, and $a_i$ is the acceleration of $C_i$. ${}^P$ marks what is taken at or about $P$,
# ${}^1$ what is taken about $C_1$. The $I_i$ are 3 x 3 here.
#
# - (A1) to (A4): $f_1 = m_1 a_1$, $n_1 = I_1 \dot\omega_1$, $f_2 = m_2 a_2$, $n_2 = I_2 \dot\omega_2$.
# - (A5) to (A11), from centres to $P$ and back: ${}^P a_i = a_i - r_i \times \dot\omega_i$,
#   ${}^P \dot\omega_i = \dot\omega_i$, ${}^1 f_2 = {}^P f_2 = f_2$, ${}^P n_2 = n_2 - r_2 \times f_2$,
#   ${}^1 n_2 = n_2 + (r_1 - r_2) \times f_2$.
# - (A12), (A13), action and reaction: $f = f_1 + f_2$, $n = n_1 + n_2 + (r_1 - r_2) \times f_2$.
# - (A14) to (A16), the joint: ${}^P a_2 = {}^P a_1$, ${}^P \dot\omega_2 = {}^P \dot\omega_1 + s \alpha$,
#   $s \cdot {}^P n_2 = 0$.
# - (A17), (A18): $\dot\omega_2 = \dot\omega_1 + s \alpha$,
#   $a_2 = a_1 + (r_2 - r_1) \times \dot\omega_1 + r_2 \times s \alpha$.
# - (A19) to (A21), (A24), (A25): $\alpha = - s^T (K^T \dot\omega_1 - m_2 \tilde r_2 a_1) / s^T J s$, with
#   $J = I_2 - m_2 \tilde r_2 \tilde r_2$ and $K = J + m_2 \tilde r_1 \tilde r_2$. The division is allowed: $I_2$ is positive
#   definite, and $- \tilde r_2 \tilde r_2 = \tilde r_2^T \tilde r_2$ is not negative.
# - (A22), (A23), (A26): $f$ and $n$ as functions of $a_1$ and $\dot\omega_1$.
# - (A27) to (A32): these in one matrix, its four blocks, and its inverse:
#
# $$ \begin{bmatrix} f \\ n \end{bmatrix} =
#    \begin{bmatrix} A & B \\ C & D \end{bmatrix} \begin{bmatrix} a_1 \\ \dot\omega_1 \end{bmatrix} . $$
#
# Here are both, and each is short in code; compare how much of it you would like to derive once more.


# %%
def six_d(I1, I2, s):
    """(B7): the matrix of f = M a1"""
    U = I2 @ s
    return I1 + I2 - np.outer(U, U) / (s @ U)


def three_d(m1, J1, m2, J2, r1, r2, s, factor=None):
    """(A27) to (A31): the matrix of [f; n] = M [a1; dw1]"""
    x1, x2 = skew(r1), skew(r2)
    J = J2 - m2 * x2 @ x2  # (A20)
    K = J + m2 * x1 @ x2  # (A24)
    d = s @ J @ s
    A = (m1 + m2) * np.eye(3) + (m2**2 if factor is None else factor) * x2 @ np.outer(s, s) @ x2 / d  # (A28)
    B = m2 * (x2 - x1) - m2 * x2 @ np.outer(s, s) @ K.T / d  # (A29)
    C = m2 * (x1 - x2) + m2 * K @ np.outer(s, s) @ x2 / d  # (A30)
    D = J1 + J2 - m2 * (x1 - x2) @ (x1 - x2) - K @ np.outer(s, s) @ K.T / d  # (A31)
    return np.block([[A, B], [C, D]])


def some_body():
    """A mass, and an inertia about the centre of mass that a body can have"""
    R, moments = np.linalg.qr(rng.normal(size=(3, 3)))[0], rng.uniform(0.2, 0.3, 3)
    return rng.uniform(1.0, 3.0), R @ np.diag(moments) @ R.T


(m1, J1), (m2, J2) = some_body(), some_body()
r1, r2, s = rng.normal(size=(3, 3))
s /= np.linalg.norm(s)

# The same pair in 6D, in the frame with its origin in C1
I1, I2, axis = inertia(m1, np.zeros(3), J1), inertia(m2, r1 - r2, J2), np.concatenate([s, np.cross(r1, s)])
M3, M6 = three_d(m1, J1, m2, J2, r1, r2, s), six_d(I1, I2, axis)
swap = np.roll(np.arange(6), 3)  # here 3D has forces first, 6D has couples first
np.testing.assert_allclose(M3[np.ix_(swap, swap)], M6, rtol=1e-12, atol=1e-12)

pair = two_body.two_body_3d(m1, J1, m2, J2, r1, r2, s)  # the library, both ways
np.testing.assert_allclose(pair.matrix, M3, rtol=1e-12, atol=1e-12)
force = rng.normal(size=6)
both = two_body.two_body_6d(I1, I2, axis, force)
np.testing.assert_allclose(both.acceleration1, np.linalg.solve(M6, force), rtol=1e-10, atol=1e-12)

# %% [markdown]
# **A check that uses neither derivation.** Write down Newton's and Euler's laws for both bodies, and the joint, as one
# system of nineteen linear equations with nineteen unknowns: $a_1, \dot\omega_1, a_2, \dot\omega_2, \alpha$, and the force
# $g$ and couple $k$ through the joint at $P$.


# %%
def all_at_once(f, n):
    """a1, dw1, a2, dw2, alpha, g, k"""
    one, zero, x1, x2 = np.eye(3), np.zeros((3, 3)), skew(r1), skew(r2)
    none, row, column = np.zeros((3, 1)), np.zeros((1, 3)), s[:, None]
    A = np.block([
        [m1 * one, zero, zero, zero, none, one, zero],  # m1 a1 = f - g
        [zero, J1, zero, zero, none, x1, one],  # J1 dw1 = n - r1 x g - k
        [zero, zero, m2 * one, zero, none, -one, zero],  # m2 a2 = g
        [zero, zero, zero, J2, none, -x2, -one],  # J2 dw2 = r2 x g + k
        [one, -x1, -one, x2, none, zero, zero],  # both bodies accelerate P alike
        [zero, one, zero, -one, column, zero, zero],  # dw2 = dw1 + s alpha
        [row, row, row, row, np.zeros((1, 1)), row, s[None]],  # s . k = 0
    ])  # fmt: skip
    return np.linalg.solve(A, np.concatenate([f, n, np.zeros(13)]))


x = all_at_once(force[3:], force[:3])
np.testing.assert_allclose(both.acceleration1, np.concatenate([x[3:6], x[:3]]), rtol=1e-10, atol=1e-12)
np.testing.assert_allclose(both.joint_acceleration, x[12], rtol=1e-10)
np.testing.assert_allclose(both.joint_force[3:], x[13:16], rtol=1e-10, atol=1e-12)

# %% [markdown]
# Long derivations invite slips, and nobody notices. In the course as printed, the second term of (A22) and (A28) has the
# factor $m_2$; by the lines before them it is $m_2^2$. Take the printed one, and $B_1$ accelerates otherwise:

# %%
printed = np.linalg.solve(three_d(m1, J1, m2, J2, r1, r2, s, factor=m2), force[swap])
error = np.abs(printed[:3] - x[:3]).max()
print(f"m2 = {m2:.2f} kg: with the printed factor the acceleration of C1 is off by {error:.3f} m/s^2")

# %% [markdown]
# ## Two rods on ice
#
# Now the second question. Each rod has $m = 1$ kg and $l = 1$ m, its moment of inertia about the centre is $m l^2 / 12$.
# The frame has its origin at the centre of rod 1, $x$ along the rods, $z$ upwards; the hinge is at $x = l/2$.

# %%
length = 1.0
about = np.diag([1e-3, 1 / 12, 1 / 12])  # a rod of some thickness
rods = two_body.two_body_6d(
    inertia(1.0, [0, 0, 0], about),
    inertia(1.0, [length, 0, 0], about),
    np.array([0, 0, 1, 0, -length / 2, 0]),  # a unit rotation about the hinge
    [0, 0, 0, 0, 1.0, 0],  # 1 N along y through the centre of rod 1
)


def along_y(a, x):
    """The acceleration along y of the point at x: at rest, spatial and classical acceleration are the same"""
    return a[4] + a[2] * x


felt = 1.0 / along_y(rods.acceleration1, 0.0)
far_end = along_y(rods.acceleration2, 1.5 * length)
print(
    f"rod 1 feels like {felt:.4f} kg; the far end starts with {far_end:.3f} m/s^2, the pushed point with {1 / felt:.3f}"
)
np.testing.assert_allclose([felt, far_end], [8 / 7, -1 / 4], rtol=1e-12)

fig, ax = plt.subplots(figsize=(7.2, 2.9))
for a, start, color in ((rods.acceleration1, -0.5, BLUE), (rods.acceleration2, 0.5, ORANGE)):
    ax.plot([start, start + length], [0, 0], color=color, lw=6, solid_capstyle="butt")
    for x in np.linspace(start, start + length, 9):
        arrow2(ax, (x, 0), (0, 0.5 * along_y(a, x)), color, width=1.3)
ax.plot(0.5, 0, "o", color="white", mec="black", ms=8, zorder=6)
arrow2(ax, (0, -0.42), (0, 0.36), RED, width=3)
ax.text(0.06, -0.38, "push, 1 N", color=RED)
ax.text(-0.42, 0.66, "rod 1", color=BLUE)
ax.text(0.92, 0.16, "rod 2", color=ORANGE)
ax.text(0.03, 0.47, f"{1 / felt:.3f} m/s²", color=BLUE)
ax.text(1.53, -0.14, f"{far_end:.2f} m/s²", color=ORANGE)
ax.set(xlabel="x / m", xlim=(-0.7, 1.95), ylim=(-0.5, 0.75), aspect="equal", yticks=[])
ax.grid(False)
ax.spines["left"].set_visible(False)
plt.show()

# %% [markdown]
# **The second answer.** Rod 1 feels like 8/7 = 1.14 kg: although rod 2 is as heavy, it adds a seventh, since it gives way.
# Its far end goes *backwards*, at 1/4 m/s². By hand: a rod that is pushed at its end feels like $m/4$; with the
# force $R$ through the hinge, $a_P = 4 R / m$ for rod 2 and $a_P = (F - R)/m - 3R/m$ for rod 1, so that $R = F/8$ and
# $a_1 = 7F/(8m)$.
#
# ### Exercise 5.4
#
# Write the matrix of (B7) yourself, for any axis, of any length.


# %%
def apparent_inertia(I1, I2, s):
    """M (6, 6) of f = M a1: body 1 is pushed, body 2 hangs on it by a joint with the axis s (6,)."""
    ...  # yours


check_exercise(apparent_inertia, chapter_05.apparent_inertia)

# %% [markdown]
# ## What to remember
#
# - A joint allows the motions $v = S \alpha$ and acts with the forces $f_c = T \lambda$; $S^T T = 0$ is the work that it
#   does not do.
# - Multiply the equation of motion by $S^T$, and the constraint force is gone; what stays is $\tau = H \ddot q + C$.
# - Never project with $S^T S$. Energy, $S^T I S$, and power, $S^T f$, are what exists.
# - $\dot S \alpha$ vanishes only if the body carries its freedoms along.
# - Two bodies: $a_2 = a_1 + s \alpha$ and $s \cdot f_J = 0$, and the rest is substitution.
#
# **Next.** Notebook 6 takes $v_i = v_{i-1} + s_i \dot q_i$ from body to body: inverse dynamics of a real arm.
#
# **References.** R. Featherstone, *Rigid Body Dynamics Algorithms* (2008), sections 3.2 to 3.6 and 7.1; his course notes on
# spatial vectors, <http://royfeatherstone.org/spatial/>: motion constraints, dynamics exercises B, the two-body example.
# Source document 001, sections 49 to 53, 57, 58 (`docs/sources.md` has its errors).
