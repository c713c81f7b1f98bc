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
# # 3. The cross product, and why spatial acceleration is not the acceleration of a point
#
# **Claim.** A motion vector that rides on a body changes at the rate $v \times m$, a force vector at the rate
# $v \times^* f$. With these two products the derivative of spatial velocity is a vector like any other: it adds up and
# changes frames without Coriolis terms. The price is that it is not the acceleration of any point.
#
# You need notebooks 1 and 2: twists as fields, $X$ and $X^*$.
#
# ## Predict
#
# A cylinder of radius $r$ rolls on a floor with constant forward speed $V$. Nothing gets faster or slower. Guess, as a
# direction and a formula in $V$ and $r$:
#
# 1. How does the point on its central axis accelerate?
# 2. How does the point that touches the floor accelerate, at the moment of contact?
# 3. What is the *spatial* acceleration of the cylinder, the derivative of its six numbers in a frame on the floor? Is
#    it zero?

# %%
import matplotlib.pyplot as plt
import numpy as np

from exercises import chapter_03
from figures import BLACK, BLUE, GREY, RED, arrow2, moving, use_style
from pluecker.course import twist, velocity_at
from pluecker.spatial import (
    acceleration_of_point,
    classical_acceleration,
    component_rate_of_motion,
    crf,
    crm,
    cross_force,
    cross_motion,
    derivative_of_motion,
    dual,
    exp3,
    exp6,
    pluecker_transform,
    spatial_acceleration,
    transform_motion,
)
from pluecker.teaching import check_exercise

use_style()
rng = np.random.default_rng(3)
i, j, k = np.eye(3)

# %% [markdown]
# ## First the cross product of arrows
#
# An arrow $r$ that is painted on a body which turns with $\omega$ changes at the rate $\dot r = \omega \times r$. The
# product with a fixed $a$ is a matrix, written $a\times$ or $\tilde a$. The table of the products of $i, j, k$
# (exercise 8.A2), the product of two such matrices (8.A3), and the laws of section 6 of the course, in numbers:


# %%
def cross_matrix(a):
    x, y, z = a
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])


def close(x, y):
    np.testing.assert_allclose(x, y, rtol=1e-12, atol=1e-12)


zero = np.zeros(3)
products = [[np.cross(first, second) for second in (i, j, k)] for first in (i, j, k)]
np.testing.assert_array_equal(products, [[zero, k, -j], [-k, zero, i], [j, -i, zero]])  # 8.A2

a, b, c = rng.normal(size=(3, 3))
A, B = cross_matrix(a), cross_matrix(b)
E = exp3(rng.normal(size=3))  # a rotation
close(np.cross(a, b) @ c, a @ np.cross(b, c))  # the triple product: (-b x a)^T c = -a^T (b x)^T c = a^T (b x) c
close(np.cross(a, np.cross(b, c)), (a @ c) * b - (a @ b) * c)
close(A @ B, np.outer(b, a) - (a @ b) * np.eye(3))  # 8.A3: the line above, for all c
close(cross_matrix(np.cross(a, b)), A @ B - B @ A)
close(cross_matrix(np.cross(a, b)), np.outer(b, a) - np.outer(a, b))
close(cross_matrix(E @ a), E @ A @ E.T)
close(E @ np.cross(a, b), np.cross(E @ a, E @ b))
assert np.abs(np.cross(np.cross(a, b), c) - np.cross(a, np.cross(b, c))).max() > 0.1  # not associative

# %% [markdown]
# ## Naive: let a vector ride
#
# We want the same for six numbers. Take a body that moves with a constant twist $v = (\omega, v_O)$, a screw, and paint
# on it a motion vector $m$ (a joint's axis, say) and a force vector $f$ (a spring's, say). After a time $t$ the body
# has been turned by $R$ and shifted by $p$. The painted vectors have their old numbers in the body's frame, so notebook
# 2 gives their numbers in the fixed frame. Then the derivative is a difference quotient.


# %%
def rotation(axis_angle):
    """Rodrigues' formula."""
    angle = np.linalg.norm(axis_angle)
    if angle == 0.0:
        return np.eye(3)
    K = cross_matrix(axis_angle / angle)
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K


def carried(v, t):
    """Return R and p of a body after moving with the twist v for a time t: a turn about the screw axis, a slide along it."""
    w, v_O = v[:3], v[3:]
    point = np.cross(w, v_O) / (w @ w)  # of the screw axis
    slide = (w @ v_O) / (w @ w) * w
    R = rotation(w * t)
    return R, point - R @ point + slide * t


def ride_motion(v, m, t):
    R, p = carried(v, t)
    angular = R @ m[:3]
    return np.concatenate([angular, R @ m[3:] + np.cross(p, angular)])


def ride_force(v, f, t):
    R, p = carried(v, t)
    force = R @ f[3:]
    return np.concatenate([R @ f[:3] + np.cross(p, force), force])


def rate(function, h=1e-4):
    """The derivative at 0, by a difference quotient with an error of the order h^4."""
    return (8 * (function(h) - function(-h)) - (function(2 * h) - function(-2 * h))) / (12 * h)


v, m, f = rng.normal(size=(3, 6))
m_rate = rate(lambda t: ride_motion(v, m, t))
f_rate = rate(lambda t: ride_force(v, f, t))
print("dm/dt =", m_rate.round(6))
print("df/dt =", f_rate.round(6))

# %% [markdown]
# What formula gives these numbers? Differentiate `ride_motion` at $t = 0$, where $\dot R = \omega\times$ and
# $\dot p = v_O$:
#
# $$ v \times m = \begin{bmatrix} \omega \times m_\omega \\ \omega \times m_v + v_O \times m_\omega \end{bmatrix}
#    = \begin{bmatrix} \omega\times & 0 \\ v_O\times & \omega\times \end{bmatrix} m, \qquad
#    v \times^* f = \begin{bmatrix} \omega \times n + v_O \times f \\ \omega \times f \end{bmatrix}
#    = \begin{bmatrix} \omega\times & v_O\times \\ 0 & \omega\times \end{bmatrix} f. $$
#
# The two matrices are related, $v\times^* = -(v\times)^T$. That is power again: of two painted vectors the product
# $m \cdot f$ does not change, so $(v \times m) \cdot f + m \cdot (v \times^* f) = 0$ for all $m$ and $f$.

# %%
w, v_O = v[:3], v[3:]
v_cross = np.block([[cross_matrix(w), np.zeros((3, 3))], [cross_matrix(v_O), cross_matrix(w)]])
v_cross_star = -v_cross.T
np.testing.assert_allclose(v_cross @ m, m_rate, atol=1e-9)  # the formula and the ride
np.testing.assert_allclose(v_cross_star @ f, f_rate, atol=1e-9)

close(cross_motion(v, m), v_cross @ m)  # the library: products, and their matrices
close(cross_force(v, f), v_cross_star @ f)
close(crm(v), v_cross)
close(crf(v), v_cross_star)

# the ride is the library's exponential map: placements of bodies that keep a twist
R, p = carried(v, 0.8)
close(exp6(0.8 * v), np.block([[R, p[:, None]], [np.zeros((1, 3)), np.ones((1, 1))]]))

# %% [markdown]
# Its laws (section 37 of the course): it is linear in both, $v_1 \times v_2 = -v_2 \times v_1$, and a change of frame
# may be made before or after. And it is not associative; instead there is Jacobi's identity, as for arrows.

# %%
v1, v2, v3 = rng.normal(size=(3, 6))
X = pluecker_transform(exp3(rng.normal(size=3)), rng.normal(size=3))
close(crm(2.5 * v1 + v2), 2.5 * crm(v1) + crm(v2))
close(cross_motion(v1, v2), -cross_motion(v2, v1))
close(cross_motion(v1, v1), np.zeros(6))
close(crm(X @ v1), X @ crm(v1) @ np.linalg.inv(X))
close(crf(X @ v1), dual(X) @ crf(v1) @ np.linalg.inv(dual(X)))
close(crm(cross_motion(v1, v2)), crm(v1) @ crm(v2) - crm(v2) @ crm(v1))  # Jacobi

# %% [markdown]
# **Exercise 3.1.** A thruster is fixed to a body that moves with the twist $v$, and pushes with constant strength. Now it
# pushes with the force $p$ along the line through $P$; all are in the coordinates of a fixed frame. At what rate does its
# force vector change?


# %%
def rate_of_thrust(v, P, p):
    """d/dt of the force vector (moment about the origin first) of a force p at P that rides on a body with twist v."""
    ...  # yours


check_exercise(rate_of_thrust, chapter_03.rate_of_thrust)

# %% [markdown]
# ## Coordinates that move themselves
#
# Let a frame $F$ move with the twist $v_F$, and let $m_F$ be the six numbers of a vector $m$ in this frame. They change for
# two reasons: because the vector changes, and because the basis does. So the derivative of the vector has in $F$ the numbers
#
# $$ \Big[\frac{dm}{dt}\Big]_F = \frac{d}{dt} m_F + v_F \times m_F, \qquad
#    \Big[\frac{df}{dt}\Big]_F = \frac{d}{dt} f_F + v_F \times^* f_F, $$
#
# where $v_F$, too, is written in $F$. (The course and the library's help have $O$ in the place of $F$; then $v_O$ is all six
# numbers, and not the linear part alone.)
#
# A vector that stands still in the world is the quick check: its derivative is zero, and the numbers seen from the
# moving frame change.

# %%
standing = rng.normal(size=6)  # in the world's coordinates


def seen(t):
    """From a frame that is carried along by v and agrees with the world at t = 0."""
    R, p = carried(v, t)
    return pluecker_transform(R.T, p) @ standing


number_rate = rate(seen)
np.testing.assert_allclose(number_rate, -cross_motion(v, standing), atol=1e-9)
# the library, both ways: from the rate of the numbers to the derivative, and back; v is the frame's twist
np.testing.assert_allclose(derivative_of_motion(number_rate, v, standing), np.zeros(6), atol=1e-9)
np.testing.assert_allclose(component_rate_of_motion(np.zeros(6), v, standing), number_rate, atol=1e-9)

# %% [markdown]
# ## The rolling cylinder
#
# The cylinder of the question rolls along $y$ on the $x$-$y$ plane (exercise 43.B2). Its axis is at the height $r$, at
# $C = (0, y_0 + V t, r)$; its angular velocity is $(-V/r, 0, 0)$. The velocity of the body-fixed point that is at the
# origin $O$ of the *floor's* frame:
#
# $$ v_O = v_C + \overrightarrow{OC} \times \omega = (0, 0, (y_0 + V t) V / r). $$
#
# Naive: write the six numbers down as functions of time and differentiate them. The frame is fixed, so that the
# derivative of the numbers is the derivative of the vector.

# %%
V, radius, y_0 = 2.0, 0.5, 0.3


def rolling(t):
    centre = np.array([0.0, y_0 + V * t, radius])
    w = np.array([-V / radius, 0.0, 0.0])
    return np.concatenate([w, V * j + np.cross(centre, w)])


a_fixed = rate(rolling)
print("velocity at t = 0:    ", rolling(0.0))
print("spatial acceleration: ", a_fixed.round(9) + 0.0, "   V^2 / r =", V**2 / radius)
np.testing.assert_allclose(a_fixed, [0, 0, 0, 0, 0, V**2 / radius], atol=1e-9)

# The library, from a frame that moves along with the axis: there the six numbers never change, and all comes from
# the motion of the frame.
v_C = transform_motion(pluecker_transform(np.eye(3), [0, y_0, radius]), rolling(0.0))
close(v_C, [-V / radius, 0, 0, 0, V, 0])
frame_velocity = np.array([0, 0, 0, 0, V, 0])
a_C = derivative_of_motion(np.zeros(6), frame_velocity, v_C)
close(transform_motion(pluecker_transform(np.eye(3), [0, -y_0, -radius]), a_C), a_fixed)

# %% [markdown]
# Not zero: $V^2 / r$ upwards. And it is the same wherever one looks, since the angular part is zero: a field of equal
# arrows. What accelerates? Not a point. $v_O$ is the velocity of whichever point of the cylinder passes through $O$
# now, and a moment later that is another point, which moves upwards faster. Imagine the body extended over all space,
# as in notebook 1, and look at one place of the floor while the cylinder rolls away: the body-fixed points stream
# through this place faster and faster, as their distance to the point of contact grows.

# %%
figure, ax = plt.subplots(figsize=(6.0, 3.7))
figure.subplots_adjust(left=0.15, right=0.98, bottom=0.15, top=0.97)
reach = 2.1


def draw(n):
    t = 0.045 * n
    ax.clear()
    y = V * t
    ax.axhline(0, color=BLACK, lw=1)
    ax.add_patch(plt.Circle((y, radius), radius, fill=False, color=GREY, lw=2.5))
    angles = -y / radius + np.linspace(0, 2 * np.pi, 7)[:-1]
    for angle in angles:
        ax.plot([y, y + radius * np.sin(angle)], [radius, radius + radius * np.cos(angle)], color=GREY, lw=1)
    w = np.array([-V / radius, 0, 0])
    velocity = np.concatenate([w, V * j + np.cross([0, y, radius], w)])
    up = velocity_at(velocity, [0, 0, 0])[2]
    ax.plot(0, 0, "o", color=RED, ms=7, zorder=6)
    if up > 0.05:
        arrow2(ax, [0, 0], [0, 0.22 * up], RED, width=2.4)
    ax.text(0.06, 1.72, f"velocity of the body-fixed\npoint at O: {up:.1f} m/s", color=RED, va="top")
    ax.set(xlim=(-0.7, reach + 0.7), ylim=(-0.25, 1.8), aspect="equal", xlabel="y / m", ylabel="z / m")


moving(figure, draw, 22, fps=12, dpi=70)

# %% [markdown]
# The red arrow grows at a steady rate; that rate, $V^2/r$, is the linear part of the spatial acceleration.
#
# ## What points do
#
# The acceleration of a *point* follows the same point for a moment. If $r(t)$ is the path of the body-fixed point that
# is at $O$ now, then $v_O = \dot r$, but not $\dot v_O = \ddot r$:
#
# $$ a = \begin{bmatrix} \dot\omega \\ \dot v_O \end{bmatrix}
#      = \begin{bmatrix} \dot\omega \\ \ddot r - \omega \times \dot r \end{bmatrix}. $$
#
# $\ddot r$ is called *classical* acceleration here. We know the paths of the points of a rolling cylinder: they are
# cycloids. Two derivatives of the cycloid are the independent check.


# %%
def cycloid(angle, t):
    """A point of the rim, which starts at this angle from the highest point."""
    angle = angle + V * t / radius
    return np.array([0.0, y_0 + V * t + radius * np.sin(angle), radius + radius * np.cos(angle)])


def second_rate(function, h=1e-3):
    return (-function(2 * h) + 16 * function(h) - 30 * function(0.0) + 16 * function(-h) - function(-2 * h)) / (
        12 * h**2
    )


v_now = rolling(0.0)
for angle in np.linspace(0, 2 * np.pi, 9):
    P = cycloid(angle, 0.0)
    classical = acceleration_of_point(v_now, a_fixed, P)  # r''(P) = a_O + dw x OP + w x (v_O + w x OP)
    np.testing.assert_allclose(classical, second_rate(lambda t, angle=angle: cycloid(angle, t)), atol=1e-7)

centre, contact = np.array([0, y_0, radius]), np.array([0, y_0, 0])
print("1. the axis:          ", acceleration_of_point(v_now, a_fixed, centre).round(9) + 0.0)
print("2. the contact point: ", acceleration_of_point(v_now, a_fixed, contact).round(9) + 0.0)
print("3. spatial:           ", a_fixed.round(9) + 0.0)

# %%
fig, axes = plt.subplots(1, 2, figsize=(8.0, 3.7), sharey=True)
angles = np.linspace(0, 2 * np.pi, 13)[:-1]
for ax, title in zip(axes, ("spatial acceleration: one vector", "acceleration of each point"), strict=True):
    ax.axhline(0, color=BLACK, lw=1)
    ax.add_patch(plt.Circle((0, radius), radius, fill=False, color=GREY, lw=2.5))
    ax.set(aspect="equal", xlabel="y - y$_C$ / m", title=title, xlim=(-0.75, 0.75), ylim=(-0.2, 1.35))
    ax.set_xticks([-0.5, 0, 0.5])
axes[0].set_ylabel("z / m")
axes[0].text(0, -0.12, "everywhere 8 m/s²", color=BLUE, ha="center")
axes[1].text(0, -0.12, "on the rim 8 m/s²", color=RED, ha="center")
for part in (0.5, 1.0):
    for angle in angles if part == 1.0 else angles[::2]:
        P = centre + part * radius * np.array([0, np.sin(angle), np.cos(angle)])
        at = P[1:] - [y_0, 0]
        arrow2(axes[0], at, 0.03 * (a_fixed[3:] + np.cross(a_fixed[:3], P))[1:], BLUE)
        arrow2(axes[1], at, 0.03 * acceleration_of_point(v_now, a_fixed, P)[1:], RED)
plt.tight_layout()
plt.show()

# %% [markdown]
# Answers: the axis does not accelerate. The point of contact accelerates upwards with $V^2/r$, and all points towards
# the axis (right). The spatial acceleration is $(0, 0, 0, 0, 0, V^2/r)$, the same field of arrows everywhere (left).
# Left and right agree at the contact alone: there the velocity of the point is zero, so that
# $\omega \times \dot r = 0$.
#
# The opposite case (section 40): a wheel on a fixed axle turns at constant speed. Its twist is constant, so its spatial
# acceleration is zero; and each of its points accelerates towards the axle.

# %%
wheel, P = twist(i, [0, 0.2, 0.4], angular=3.0), np.array([0.0, 0.7, 0.4])
print("spatial:", np.zeros(6), "   point:", acceleration_of_point(wheel, np.zeros(6), P).round(9) + 0.0)
close(acceleration_of_point(wheel, np.zeros(6), P), [0, -9 * 0.5, 0])

# %% [markdown]
# **Exercise 3.2.** The acceleration of the point at $P$, from the twist $v$ and the spatial acceleration $a$, both in
# the fixed frame at $O$.


# %%
def point_acceleration(v, a, P):
    """The classical acceleration (3,) of the body-fixed point that is at P now."""
    ...  # yours


check_exercise(point_acceleration, chapter_03.point_acceleration)

# %% [markdown]
# **Exercise 3.3.** Now the cylinder also gets faster. At the moment its axis is at $C = (0, y, r)$, its speed is $V$
# and grows at the rate $\dot V$. Its spatial acceleration, in the frame at $O$?


# %%
def rolling_acceleration(radius, y, V, V_rate):
    """The six numbers of the spatial acceleration, in the frame on the floor."""
    ...  # yours


check_exercise(rolling_acceleration, chapter_03.rolling_acceleration)

# %% [markdown]
# ## What addition buys
#
# Relative velocities add up, $v_2 = v_1 + s_2 \dot q_2$. Spatial acceleration is the derivative of that, and nothing
# else:
#
# $$ a_2 = a_1 + s_2 \ddot q_2 + \dot s_2 \dot q_2, \qquad \dot s_2 = v_1 \times s_2. $$
#
# The axis $s_2$ is painted on body 1, so it rides with $v_1$ ($v_2$ does as well, since $s_2 \times s_2 = 0$: the axis
# is painted on both bodies). For the robot of notebook 2, joint 1 at the origin and joint 2 at $(1, 0)$ (exercise
# 43.B1):

# %%
s_1, s_2 = twist(k, [0, 0, 0]), twist(k, [1, 0, 0])
qd, qdd = np.array([0.7, -1.3]), np.array([0.9, 2.1])
v_1 = s_1 * qd[0]
v_2 = v_1 + s_2 * qd[1]
a_1 = s_1 * qdd[0]  # s_1 does not move
a_2 = a_1 + s_2 * qdd[1] + cross_motion(v_1, s_2) * qd[1]
close(a_2, [0, 0, qdd.sum(), qd.prod(), -qdd[1], 0])  # what the course says
close(cross_motion(v_1, s_2), cross_motion(v_2, s_2))


# independent: the whole motion in a fixed frame, differentiated
def velocity_of_body_2(t):
    q_1 = qd[0] * t + 0.5 * qdd[0] * t**2
    rates = qd + qdd * t
    elbow = np.array([np.cos(q_1), np.sin(q_1), 0.0])
    return twist(k, [0, 0, 0]) * rates[0] + twist(k, elbow) * rates[1]


np.testing.assert_allclose(a_2, rate(velocity_of_body_2), atol=1e-9)
print("a_2 =", a_2)

# %% [markdown]
# ## Doing it wrong on purpose
#
# Classical accelerations look harmless: six numbers $(\dot\omega, \ddot r)$. Let us treat them as vectors. Body 1 has
# $(\dot\omega_1, \ddot r_1)$; body 2, relative to body 1, has the velocity $s_2 \dot q_2$ and the acceleration
# $s_2 \ddot q_2$, hence a relative classical acceleration. Add the two, as everybody wants to:

# %%
P = np.array([1.0, 1.0, 0.0])  # the tip of body 2


def classical_at(v, a, P):
    """Angular acceleration, and the acceleration of the point at P."""
    return np.concatenate([a[:3], acceleration_of_point(v, a, P)])


relative_v, relative_a = s_2 * qd[1], s_2 * qdd[1]  # of body 2 as seen from body 1
added = classical_at(v_1, a_1, P) + classical_at(relative_v, relative_a, P)
right = classical_at(v_2, a_2, P)


# independent: the path of the tip
def path(t):
    q = qd * t + 0.5 * qdd * t**2
    elbow = np.array([np.cos(q[0]), np.sin(q[0]), 0.0])
    return elbow + np.array([-np.sin(q.sum()), np.cos(q.sum()), 0.0])


np.testing.assert_allclose(right[3:], second_rate(path), atol=1e-7)
coriolis = 2 * np.cross(v_1[:3], velocity_at(relative_v, P))
print("sum of classical accelerations:", added[3:])
print("acceleration of the tip:       ", right[3:])
print("missing:                       ", right[3:] - added[3:], "= 2 w_1 x (relative velocity) =", coriolis)
close(right[3:] - added[3:], coriolis)
assert np.abs(coriolis).max() > 1.0

# %% [markdown]
# The sum is wrong by 1.82 m/s², the Coriolis term. Textbooks teach to add it by hand, for each joint. Spatial
# accelerations add without it.
#
# Nor can classical accelerations change frames as motion vectors do. The same six numbers at $O$, moved to $C$ by $X$,
# are not those of the point at $C$:

# %%
X_C = pluecker_transform(np.eye(3), centre)
at_O = classical_acceleration(v_now, a_fixed)
moved = transform_motion(X_C, at_O)
true = classical_acceleration(transform_motion(X_C, v_now), transform_motion(X_C, a_fixed))
print("classical at O, moved by X to the axis:", moved[3:])
print("classical at the axis:                 ", true[3:].round(9) + 0.0)
assert np.abs(moved - true).max() > 1.0
close(spatial_acceleration(transform_motion(X_C, v_now), true), transform_motion(X_C, a_fixed))  # there and back

# %% [markdown]
# So the rule of the trade: compute with spatial accelerations; turn them into classical ones at the very end, where a
# sensor or a requirement speaks of a point.
#
# **Exercise 3.4.** (43.B1 for any place.) Two joints turn about axes parallel to $z$, through the origin and now
# through `elbow`. The spatial acceleration of body 2?


# %%
def second_body_acceleration(elbow, qd, qdd):
    """The six numbers of a_2, in the fixed frame; elbow (3,) in m, qd (2,) in rad/s, qdd (2,) in rad/s^2."""
    ...  # yours


check_exercise(second_body_acceleration, chapter_03.second_body_acceleration)

# %% [markdown]
# ## Remember
#
# - What rides on a body changes at the rate $v \times m$, or $v \times^* f$; and $v\times^* = -(v\times)^T$, as power
#   does not change.
# - In moving coordinates: the derivative is the rate of the numbers plus $v_F \times$ the vector, with the frame's $v_F$.
# - Spatial acceleration is the derivative of spatial velocity. It adds up and transforms as velocity does.
# - $\ddot r = \dot v_O + \omega \times v_O$ is the acceleration of a point, and no vector of $\mathsf{M}^6$. It is for
#   the last line.
#
# Next, notebook 4: what resists acceleration.
#
# References: R. Featherstone, *Rigid Body Dynamics Algorithms*, Springer 2008, sections 2.9 to 2.11; R. Featherstone,
# "The acceleration vector of a rigid body", *International Journal of Robotics Research* 20 (2001); his course on
# spatial vectors, part 3 (sections 6, 8 and 37 to 43 of source document 001, see `docs/sources.md`).
