# %% [markdown]
# # 1. Velocity fields and Plücker coordinates
#
# **Claim.** The velocity of a rigid body is one vector with six coordinates. It has three faces: a field of velocities,
# two numbers and a line, six numbers. Each of them tells the other two.
#
# You need: cross products, NumPy. Nothing about six-dimensional vectors.
#
# Run the cells from top to bottom. Exercises say what you have to write; they grade themselves.

# %%
import matplotlib.pyplot as plt
import numpy as np
from scipy.linalg import expm

import figures
from exercises import chapter_01
from pluecker import course, spatial
from pluecker.teaching import check_exercise

figures.use_style()
rng = np.random.default_rng(1)

# %% [markdown]
# ## A question first
#
# A Ferris wheel turns at $+1$ rad/s (counterclockwise) about its hub. A cabin hangs on a pin at the rim, two metres to
# the right of the hub, and turns at $-1$ rad/s *relative to the wheel*, so that it stays upright.
#
# 1. How does the cabin move at this moment? Does it turn? About which point?
# 2. Somebody reverses the motor of the pin: now the cabin turns at $+1$ rad/s relative to the wheel. About which point
#    does it turn now, and how fast?
#
# Write down your guesses. We come back to them below.
#
# ## One velocity for each point
#
# Think of a rigid body as so large that it fills all space: each point $P$ of space has a point of the body in it. The
# velocities of all these points are a *vector field* $\mathbf V(P)$. The body cannot be deformed, so no two points
# approach one another. This allows few fields. Choose any point $Q$ of the body, with the velocity $\mathbf v_Q$. Then
#
# $$\mathbf V(P) = \mathbf v_Q + \boldsymbol\omega \times \overrightarrow{QP}$$
#
# with one vector $\boldsymbol\omega$, the same for all $Q$. So six numbers are enough: three for $\boldsymbol\omega$,
# and three for the velocity at one point. We take the *origin* $O$: the six numbers $(\boldsymbol\omega, \mathbf v_O)$
# are the **Plücker coordinates** of the velocity. $\mathbf v_O$ is the velocity of the point of the body that is at the
# origin now; the real body need not reach so far. The velocity of a body as one vector is called a *twist*, a *spatial
# velocity*, or a *motion vector*; we write $v$.
#
# Here is all of it from first principles. A field is a function of a point. We read the six numbers off the field, and
# find the line about which the body turns, how fast it turns about it and slides along it, and the *pitch*: how far it
# slides for each radian.


# %%
def field(omega, Q, v_Q):
    """The velocity field of a body: angular velocity omega, and velocity v_Q of the point at Q."""
    return lambda P: v_Q + np.cross(omega, P - Q)


def coordinates(V):
    """The six numbers of a field: what it is at the origin, and how it changes from there along x, y and z."""
    O, (x, y, z) = np.zeros(3), np.eye(3)
    v_O = V(O)
    D = np.column_stack([V(e) - v_O for e in (x, y, z)])  # D e = omega x e
    omega = np.array([D[2, 1], D[0, 2], D[1, 0]])
    return np.concatenate([omega, v_O])


def screw(v):
    """A direction, the point of the axis nearest to the origin, and the two magnitudes, for omega not zero."""
    omega, v_O = v[:3], v[3:]
    size = np.sqrt(omega @ omega)
    direction = omega / size
    along = direction @ v_O  # the part of v_O along omega: it is the same at all points
    P = np.cross(omega, v_O) / (omega @ omega)  # there nothing else is left of the velocity
    return direction, P, size, along


# %%
omega, Q, v_Q = np.array([0.3, -0.2, 1.1]), np.array([0.5, 1.0, -0.4]), np.array([0.2, 0.7, 0.1])
V = field(omega, Q, v_Q)
v = coordinates(V)
print("six numbers [omega, v_O]:", v.round(4))

direction, P, angular, linear = screw(v)
print("axis through", P.round(4), "along", direction.round(4))
print(f"{angular:.4f} rad/s about it, {linear:.4f} m/s along it, pitch {linear / angular:.4f} m/rad")

np.testing.assert_allclose(V(P), linear * direction, atol=1e-15)  # on the axis, points move along it
R, S = rng.normal(size=(2, 3))
np.testing.assert_allclose((R - S) @ (V(R) - V(S)), 0.0, atol=1e-14)  # no two points approach one another

# %% [markdown]
# These are the three faces of one velocity:
#
# | face | what it is | what it is good for |
# |---|---|---|
# | a field | $\mathbf V(P)$ for each point $P$ | to see what happens |
# | a screw | a line, an angular magnitude $\lvert\boldsymbol\omega\rvert$, a linear magnitude | to imagine it |
# | six numbers | $[\boldsymbol\omega;\ \mathbf v_O]$ | to compute |
#
# The body turns about a line and slides along it, like a nut on a bolt. The line is the *instantaneous screw axis*. Its
# points are those where the velocity is parallel to $\boldsymbol\omega$:
#
# $$\overrightarrow{OP} = \frac{\boldsymbol\omega \times \mathbf v_O}{\boldsymbol\omega\cdot\boldsymbol\omega}, \qquad
# \text{pitch} = \frac{\boldsymbol\omega\cdot\mathbf v_O}{\boldsymbol\omega\cdot\boldsymbol\omega}
# \quad\text{(metres per radian)}.$$
#
# A body that keeps the same twist all the time moves along helices about the axis. Only the axis itself moves straight
# on.


# %%
def draw_screw(k):
    """A box on its way along the screw, with the paths of three of its corners."""
    panel.clear()
    figures.space(panel, 0.9, (0.0, 0.0, 0.9), view=(18, -55))
    panel.set_box_aspect((1, 1, 1), zoom=1.3)
    panel.set_axis_off()
    t = 2.0 * np.pi * k / frames
    panel.plot([0, 0], [0, 0], [-0.1, 1.9], color=figures.RED, lw=1.5)
    panel.text(0, 0, 2.0, "screw axis", color=figures.RED, ha="center")
    figures.box3(panel, (0.5, 0.3, 0.2), *placement(t), color=figures.BLACK)
    for corner, color in zip(corners, (figures.BLUE, figures.GREEN, figures.ORANGE), strict=True):
        past = np.array([x @ corner + p for x, p in map(placement, np.linspace(0.0, t, 2 + k))])
        panel.plot(*past.T, color=color, lw=1.6)
        panel.scatter(*past[-1], color=color, s=14)


def placement(t):
    """Return R and p of the box at time t, if it keeps the twist [0, 0, 1, 0, 0, 0.2]: 0.2 m for each radian."""
    c, s = np.cos(t), np.sin(t)
    turn = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    return turn, turn @ np.array([0.5, 0.0, 0.0]) + np.array([0.0, 0.0, 0.25 + 0.2 * t])


frames = 40
corners = np.array([[0.25, 0.15, 0.1], [-0.25, 0.15, 0.1], [0.25, -0.15, -0.1]])
figure = plt.figure(figsize=(4.2, 4.6), layout="constrained")
panel = figure.add_subplot(projection="3d")
figures.moving(figure, draw_screw, frames, fps=16, dpi=90)

# %% [markdown]
# ## The same with the library
#
# `pluecker.spatial` has a function for each of these steps. Motion vectors are arrays of six numbers, the **angular
# part first**; leading axes are batches.

# %%
u, point, A, B = course.screw_axis(v)
np.testing.assert_allclose(u, direction, rtol=1e-14)
np.testing.assert_allclose(point, P, rtol=1e-14)
np.testing.assert_allclose([A, B], [angular, linear], rtol=1e-14)
np.testing.assert_allclose(course.pitch(v), linear / angular, rtol=1e-14)
np.testing.assert_allclose(course.twist(u, point, A, B), v, atol=1e-15)  # and back again

points = rng.normal(size=(1000, 3))
np.testing.assert_allclose(course.velocity_at(v, points), [V(x) for x in points], atol=1e-14)

# %% [markdown]
# Both could be wrong in the same way. So here is a check that knows nothing of either. The velocity of the point
# $(x, y, z)$ is a $4\times4$ matrix, the `generator` below, times $(x, y, z, 1)$. If the twist stays the same, the
# matrix exponential of $\pm h$ times this matrix moves the body for a short time $\pm h$; the difference of the two places
# of a point, divided by $2h$, is its velocity.

# %%
generator = np.zeros((4, 4))
generator[:3, :3], generator[:3, 3] = spatial.skew(v[:3]), v[3:]  # skew(w) @ a is the cross product of w and a
h = 1e-5
there = np.append(points, np.ones((1000, 1)), axis=1) @ (expm(h * generator) - expm(-h * generator)).T / (2 * h)
error = np.abs(there[:, :3] - course.velocity_at(v, points)).max()
print(f"largest difference from finite differences: {error:.0e} m/s")
assert error < 1e-9  # h^2 and rounding / h are both of about 1e-10

# %% [markdown]
# In a plane there are only three numbers left, $[\omega, v_x, v_y]$: a unit rotation about the origin
# $\mathbf d_O$, and unit translations $\mathbf d_x$, $\mathbf d_y$. What do these fields look like? The body turns
# about the point whose velocity is zero, $(-v_y, v_x)/\omega$:
#
# - $\mathbf d_O + \mathbf d_x$ is a rotation at 1 rad/s about $(0, 1)$,
# - $2\,\mathbf d_O + \mathbf d_y$ one at 2 rad/s about $(-0.5, 0)$,
# - $\mathbf d_x + 2\,\mathbf d_y$ has $\omega = 0$: a translation at $\sqrt5$ m/s, at the angle $\tan^{-1} 2$ to the x
#   axis,
# - $\omega\,\mathbf d_O + r\omega\,\mathbf d_x$ has $\mathbf V(P) = \omega\,(r - P_y,\ P_x)$, which is zero at
#   $(0, r)$.

# %%
planar = course.planar
np.testing.assert_allclose(planar.center_of_rotation(planar.D_O + planar.D_X), [0, 1])
np.testing.assert_allclose(planar.center_of_rotation(2 * planar.D_O + planar.D_Y), [-0.5, 0])
np.testing.assert_allclose(planar.planar_velocity_at(planar.D_X + 2 * planar.D_Y, [7, -3]), [1, 2])  # anywhere
w, r = 0.7, 1.3
np.testing.assert_allclose(planar.planar_velocity_at([w, r * w, 0], [0.4, 0.9]), [w * (r - 0.9), w * 0.4])

# %% [markdown]
# ## Velocities add
#
# If body 1 moves in the field $\mathbf V_1$, and body 2 moves *relative to body 1* in the field $\mathbf V_2$, then
# each point of body 2 has the velocity $\mathbf V_1(P) + \mathbf V_2(P)$. This is true point by point, so it is true
# for the six numbers:
#
# $$v = v_1 + v_2 .$$
#
# Twice the field has twice the six numbers, too. This is all that *vector* means: something that can be added, and
# multiplied by a number, by the usual rules. An arrow is a vector with a magnitude and a direction; the velocity of a
# body is a vector with two magnitudes and a line. Both are things in the world, and a list of numbers only describes
# them, in a basis. Arrows form a vector space of three dimensions, velocities of bodies one of six.
#
# A rotation and a translation make a rotation about another point:


# %%
def draw_planar(panel, v, title, color, size=2.0):
    """The field of a planar velocity [omega, vx, vy], and the point about which it turns."""
    x = np.linspace(-size, size, 8)
    points = course.grid(x, x, 0)[..., :2]
    field = planar.planar_velocity_at(v, points)
    panel.quiver(*points.T, *field.T, color=color, angles="xy", scale_units="xy", scale=5.0, width=0.008)
    if abs(v[0]) > 1e-12:
        panel.plot(*planar.center_of_rotation(v), "o", color=figures.BLACK, ms=6)
    panel.set(title=title, xlim=(-2.4, 2.4), ylim=(-2.4, 2.4), aspect="equal", xticks=[-2, 0, 2], yticks=[-2, 0, 2])
    panel.set_xlabel("x / m")


rotation, translation = planar.D_O, planar.D_X
figure, panels = plt.subplots(1, 3, figsize=(7.2, 2.8), layout="constrained", sharey=True)
draw_planar(panels[0], rotation, "rotation, 1 rad/s", figures.BLUE)
draw_planar(panels[1], translation, "translation, 1 m/s", figures.ORANGE)
draw_planar(panels[2], rotation + translation, "their sum", figures.GREEN)
panels[0].set_ylabel("y / m")
plt.show()

# %% [markdown]
# The dot is the point that stands still. In the sum it has moved to $(0, 1)$, where the two velocities cancel: at right
# angles to the translation.
#
# ## The Ferris wheel: your guesses
#
# The hub is the origin, the pin is at $(2, 0)$. A rotation about the point $(P_x, P_y)$ has the numbers
# $\omega\,[1, P_y, -P_x]$.

# %%
wheel = planar.planar_twist([0.0, 0.0], 1.0)
upright = wheel + planar.planar_twist([2.0, 0.0], -1.0)
reversed_motor = wheel + planar.planar_twist([2.0, 0.0], +1.0)
print("wheel, and pin at -1 rad/s: [omega, vx, vy] =", upright)
print("wheel, and pin at +1 rad/s: [omega, vx, vy] =", reversed_motor)

figure, panels = plt.subplots(1, 2, figsize=(7.0, 3.4), layout="constrained", sharey=True)
for panel, v, title in zip(
    panels,
    (upright, reversed_motor),
    ("pin at -1 rad/s:\ntranslation", "pin at +1 rad/s:\n2 rad/s about the dot"),
    strict=True,
):
    x, y = np.linspace(-0.6, 2.8, 8), np.linspace(-1.3, 1.3, 6)
    points = course.grid(x, y, 0)[..., :2]
    panel.plot(*figures.circle3(2.0, (0, 0, 1))[:, :2].T, color=figures.GREY, lw=1.2)
    panel.plot(0, 0, "+", color=figures.GREY, ms=10, mew=2)
    panel.plot(2, 0, "x", color=figures.RED, ms=8, mew=2)
    panel.plot([1.65, 2.35, 2.35, 1.65, 1.65], [0.15, 0.15, -0.7, -0.7, 0.15], color=figures.RED, lw=1.5)  # the cabin
    panel.quiver(
        *points.T,
        *planar.planar_velocity_at(v, points).T,
        color=figures.BLUE,
        angles="xy",
        scale_units="xy",
        scale=8.0,
        width=0.006,
    )
    if abs(v[0]) > 0.0:
        panel.plot(*planar.center_of_rotation(v), "o", color=figures.BLACK, ms=6)
    clear = {"textcoords": "offset points", "bbox": {"facecolor": "white", "edgecolor": "none", "pad": 1.0}}
    panel.annotate("hub", (0, 0), (-16, 6), color="0.3", **clear)
    panel.annotate("cabin", (2.4, -0.7), (2, -2), color=figures.RED, **clear)
    panel.set(title=title, xlim=(-0.9, 3.2), ylim=(-1.7, 1.7), aspect="equal", xlabel="x / m")
panels[0].set_ylabel("y / m")
plt.show()

# %% [markdown]
# 1. The upright cabin **does not turn at all**. Its angular velocities cancel; what is left is 2 m/s upwards, at *all*
#    of its points, also those far from the pin. Two opposite rotations about parallel lines make a translation.
# 2. With the motor reversed it turns at 2 rad/s, neither about the hub nor about the pin, but about the point halfway
#    between.
#
# In general, take two rotations $\mathbf V_1$ and $\mathbf V_2$ in a plane, each at 1 rad/s. Then
# $\alpha \mathbf V_1 + \beta \mathbf V_2$ turns about a point on the straight line through both centres; or, if
# $\alpha + \beta = 0$, it is a translation at right angles to that line. In space the same holds for parallel axes. For
# axes that are not parallel, something new happens.
#
# ## Fields add, lines do not
#
# Two bodies of a robot's wrist: the first turns about the line along $x$ through the origin; the second turns, relative
# to the first, about a line along $y$ that passes 0.4 m above. Both are pure rotations, nothing slides. Is the sum a
# pure rotation too, about a line between the two?
#
# This is the mistake to make once: take the mean of the two lines.

# %%
first = course.twist([1, 0, 0], [0, 0, 0.0], angular=1.0)
second = course.twist([0, 1, 0], [0, 0, 0.4], angular=1.0)
total = first + second
between = course.twist([1, 1, 0], [0, 0, 0.2], angular=np.sqrt(2.0))  # the mean line, as a pure rotation

axis = course.screw_axis(total)
print("the sum turns about a line through", axis.point.round(3), "along", axis.direction.round(3))
print(f"and slides along it: pitch {course.pitch(total):+.3f} m/rad; the guess has pitch {course.pitch(between):.0f}")
error = course.velocity_at(total, points := rng.normal(size=(500, 3))) - course.velocity_at(between, points)
print(f"velocities of the guess are wrong by {np.linalg.norm(error, axis=1).max():.3f} m/s, at every point")
assert np.linalg.norm(error, axis=1).min() > 0.2

# %% [markdown]
# The line was guessed well, this time: it is the one in the middle, by symmetry. But the sum of two pure rotations
# *slides* along it, backwards by 0.2 m for each radian. If you mix both rotations in other proportions, the axis turns
# and rises, and sweeps a surface. It is called the cylindroid, or **Plücker's conoid**, after the man whose coordinates
# you have just used.

# %%
figure = plt.figure(figsize=(6.0, 4.4))
panel = figures.space(figure.add_subplot(projection="3d"), 0.62, (0.0, 0.0, 0.2), view=(26, -58))
panel.set_zlim(-0.1, 0.5)
panel.set_box_aspect((2, 2, 1), zoom=0.95)
panel.locator_params("z", nbins=3)
angles = np.linspace(0.0, np.pi, 46)
mixed = course.screw_axis(np.cos(angles)[:, None] * first + np.sin(angles)[:, None] * second)
pitches = mixed.linear / mixed.angular
colors = plt.get_cmap("cividis")((pitches - pitches.min()) / np.ptp(pitches))
for u, p, color in zip(mixed.direction, mixed.point, colors, strict=True):
    panel.plot(*np.array([p - 0.5 * u, p + 0.5 * u]).T, color=color, lw=1.5)
for v, name, color in ((first, "first", figures.RED), (second, "second", figures.BLUE), (total, "sum", figures.BLACK)):
    u, p, *_ = course.screw_axis(v)
    panel.plot(*np.array([p - 0.72 * u, p + 0.72 * u]).T, color=color, lw=2.6)
    end = -0.85 if name == "sum" else 0.8  # the other end is before the scale
    panel.text(*(p + end * u), name, color=color, ha="center")
scale = plt.cm.ScalarMappable(plt.Normalize(pitches.min(), pitches.max()), "cividis")
figure.colorbar(scale, ax=panel, label="pitch, m/rad", shrink=0.6, pad=0.12)
plt.show()

# %% [markdown]
# Each thin line is the axis of one mixture; its colour is the pitch.
#
# So this is why we compute with six numbers, and neither with lines nor with pitches: **the numbers add**.
#
# They add only if both are about the *same* origin. Here is the other mistake to make once. The wheel is described at
# its hub, the cabin at its pin, each at the natural place, where each has no linear velocity; then both are added.

# %%
at_the_hub = np.array([0, 0, 1, 0, 0, 0.0])  # velocity of the wheel: [omega, velocity of the point at the hub]
at_the_pin = np.array([0, 0, -1, 0, 0, 0.0])  # cabin relative to the wheel: [omega, velocity of the point at the pin]
print("sum of what does not belong together:", at_the_hub + at_the_pin, " (a cabin that stands still)")
print("sum at one origin:                   ", planar.planar_to_spatial(upright), " (2 m/s upwards)")

# %% [markdown]
# The same velocity has other numbers at another origin $O'$:
# $\mathbf v_{O'} = \mathbf v_O + \boldsymbol\omega \times \overrightarrow{OO'}$. The field does not change, only its
# description. Notebook 2 is about such changes.

# %%
pin = np.array([2.0, 0.0, 0.0])
X = spatial.pluecker_transform(np.eye(3), pin)  # from coordinates at the hub to coordinates at the pin
relative = course.twist([0, 0, 1], pin, angular=-1.0)
np.testing.assert_allclose(spatial.transform_motion(X, relative), at_the_pin, atol=1e-15)
np.testing.assert_allclose(
    course.velocity_at(relative, points), course.velocity_at(at_the_pin, points - pin), atol=1e-14
)  # one field

# %% [markdown]
# ## The Plücker basis
#
# Six numbers are coordinates in a basis of six velocities: unit rotations about the *lines* $Ox$, $Oy$, $Oz$, and unit
# translations along $x$, $y$, $z$:
#
# $$\hat{\mathbf v} = \omega_x\,\mathbf d_{Ox} + \omega_y\,\mathbf d_{Oy} + \omega_z\,\mathbf d_{Oz}
#   + v_{Ox}\,\mathbf d_x + v_{Oy}\,\mathbf d_y + v_{Oz}\,\mathbf d_z .$$
#
# (The hat says that it is a vector with six coordinates.)
#
# Five examples. Line A passes through the origin, in the y-z plane, at the angle $\theta$ to the y axis. Line B is
# parallel to the z axis, through the point $(1, 2, 0)$.

# %%
theta = 0.6
line_A, line_B = [0, np.cos(theta), np.sin(theta)], [0, 0, 1]
on_A, on_B = [0, 0, 0], [1, 2, 0]
examples = {
    "1 rad/s about A": course.twist(line_A, on_A, angular=1.0),
    "1 m/s along A": course.twist(line_A, on_A, angular=0.0, linear=1.0),
    "1 rad/s about B": course.twist(line_B, on_B, angular=1.0),
    "2 m/s along B": course.twist(line_B, on_B, angular=0.0, linear=2.0),
    "2 rad/s about B, 1 m/s along B": course.twist(line_B, on_B, angular=2.0, linear=1.0),
}
for words, numbers in examples.items():
    print(f"{words:32s}", numbers.round(3) + 0.0)
np.testing.assert_allclose(examples["2 rad/s about B, 1 m/s along B"], [0, 0, 2, 4, -2, 1])

# %% [markdown]
# Where does $[0, 0, 1, 2, -1, 0]$ come from? The axis misses the origin. The point of the body that is at the origin
# goes round B with $\boldsymbol\omega \times \overrightarrow{BO}$, which is $(2, -1, 0)$. Translations have no place:
# whether along B or along a parallel of it makes no difference.
#
# Cross products are everywhere here. Let $\tilde{\mathbf a}$ be the matrix of $\mathbf a\,\times$. Three facts are used all
# the time; check them once: $\tilde{\mathbf a}\tilde{\mathbf b} = \mathbf b \mathbf a^T - (\mathbf a\cdot\mathbf b)\,1$, the
# table of products of $\mathbf i, \mathbf j, \mathbf k$, and that coordinates in an orthonormal basis are scalar products
# with its vectors.

# %%
a, b = rng.normal(size=(2, 3))
np.testing.assert_allclose(spatial.skew(a) @ spatial.skew(b), np.outer(b, a) - a @ b * np.eye(3), atol=1e-14)
i, j, k = np.eye(3)
table = np.array([[np.cross(p, q) for q in (i, j, k)] for p in (i, j, k)])
np.testing.assert_array_equal(table, [[0 * i, k, -j], [-k, 0 * i, i], [j, -i, 0 * i]])
axes = np.linalg.qr(rng.normal(size=(3, 3)))[0]  # any orthonormal basis, as columns
np.testing.assert_allclose(axes @ [c @ a for c in axes.T], a, atol=1e-14)  # coordinates are scalar products with it

# %% [markdown]
# ## Exercises
#
# Write the functions, and run the cell. Each is tried with numbers that you do not see. Use NumPy only, first; the
# library has all of them.
#
# **1.1** The six numbers of a screw: a body turns at `angular` rad/s about a line and slides along it at `linear` m/s.
# The line has the unit vector `direction` and passes through `point`.


# %%
def numbers_of_screw(direction, point, angular, linear):
    """[omega, v_O], an array of six numbers."""
    ...  # yours


check_exercise(numbers_of_screw, chapter_01.numbers_of_screw)

# %% [markdown]
# **1.2** The pitch of a body that has the angular velocity `omega` and the velocity `v_P` at some point P.


# %%
def pitch(omega, v_P):
    """The pitch in metres per radian."""
    ...  # yours


check_exercise(pitch, chapter_01.pitch)

# %% [markdown]
# **1.3** The point of the screw axis that is nearest to a point `C`. The body has the six numbers `v`, with
# $\boldsymbol\omega \ne 0$.


# %%
def nearest_on_axis(v, C):
    """The coordinates of a point, an array of three numbers."""
    ...  # yours


check_exercise(nearest_on_axis, chapter_01.nearest_on_axis)

# %% [markdown]
# **1.4** Two parts of a mechanism in a plane: a crank turns at `w1` about the point `P1`, and a rod turns at `w2`
# *relative to the crank* about the point `P2`. About which point does the rod turn? (`w1 + w2` is not zero.)


# %%
def center_of_rod(w1, P1, w2, P2):
    """The coordinates (x, y) of a point."""
    ...  # yours


check_exercise(center_of_rod, chapter_01.center_of_rod)

# %% [markdown]
# ## What to remember
#
# - The velocity of a rigid body is a field, a screw, and six numbers $[\boldsymbol\omega;\ \mathbf v_O]$.
# - $\mathbf v_O$ belongs to the point of the body that is at the origin now. It is not the velocity of "the body".
# - Velocities add, number by number, if they are about the same origin. Lines and pitches do not add.
# - The axis passes through $\boldsymbol\omega\times\mathbf v_O / \boldsymbol\omega\cdot\boldsymbol\omega$; the pitch is
#   $\boldsymbol\omega\cdot\mathbf v_O / \boldsymbol\omega\cdot\boldsymbol\omega$.
#
# **Next**: forces are six numbers too, but of another kind. Notebook 2 shows why nobody may add them to velocities.
#
# References: R. Featherstone, *Rigid Body Dynamics Algorithms* (2008), sections 2.1 and 2.2; his "A beginner's guide to
# 6-D vectors", part 1 (2010); the course notes at http://royfeatherstone.org/spatial/. Source document 001, sections 4
# to 20, `docs/sources.md`.
