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
# # 2. Motion and force
#
# **Claim.** Motion vectors and force vectors both have six numbers, but they live in two different spaces: when the
# frame moves, their numbers change by two different matrices, $X$ and $X^* = X^{-T}$, and only a product of one with
# the other means something in every frame. That product is power.
#
# You need notebook 1: a twist $v = (\omega, v_O)$ is a velocity field $V(P) = v_O + \omega \times \overrightarrow{OP}$.
# Numbers such as 27.B1 are exercises of the course by Featherstone which these notebooks follow (section 27, exercise B1);
# nobody needs to have it.
#
# ## Predict
#
# A body turns about the $z$ axis with 1 rad/s. A couple of 1 N m about the $z$ axis acts on it. In the frame at $O$
# both are written with the same six numbers:
#
# $$ v = (0, 0, 1,\; 0, 0, 0), \qquad f = (0, 0, 1,\; 0, 0, 0). $$
#
# Now write both in a frame with the same axes whose origin $Q$ is one metre along $x$. Write down your guesses:
#
# 1. Which six numbers has $v$ in this frame? Which has $f$?
# 2. Somebody calls $\sqrt{v \cdot v}$ "the speed of the body" and computes it from the six numbers. Is it the same in
#    both frames?

# %%
import matplotlib.pyplot as plt
import numpy as np

from exercises import chapter_02
from figures import BLACK, BLUE, GREY, RED, SKY, arrow2, use_style
from pluecker.course import couple, line_force, moment_at, twist, velocity_at
from pluecker.spatial import (
    ForceVector,
    MotionVector,
    PlueckerTransform,
    change_of_basis,
    compose,
    coordinates_in,
    dual,
    exp3,
    force_transform,
    invert,
    pluecker_transform,
    reciprocal_basis,
    scalar_product,
    transform_force,
    transform_motion,
)
from pluecker.teaching import check_exercise

use_style()
rng = np.random.default_rng(2)
i, j, k = np.eye(3)  # the directions x, y, z

# %% [markdown]
# ## What a force does to a rigid body
#
# A force on a rigid body is a vector $f$ and the line along which it acts. Where on this line it acts makes no
# difference. Its *moment* about a point $P$ says how strongly it turns things about $P$; for a force through $Q$
#
# $$ n_P = \overrightarrow{PQ} \times f. $$
#
# So a force has a value at every point of space, as a velocity has: it is a field of moments. A *couple* is the sum of
# two opposite forces on parallel lines. It has no line, and the same moment about all points. Any set of forces is one
# force through a point $O$ and one couple, together a *force vector* or *wrench*:
#
# $$ \hat f = \begin{bmatrix} n_O \\ f \end{bmatrix}, \qquad N(P) = n_O + f \times \overrightarrow{OP}. $$
#
# Compare with $V(P) = v_O + \omega \times \overrightarrow{OP}$. In a twist the *angular* part is the same everywhere,
# and the linear part depends on the point. In a wrench the *linear* part is the same everywhere, and the moment depends
# on the point. That exchange of roles is why one space is not enough.
#
# ## Naive: twelve elementary motions and forces
#
# Take a frame $Oxyz$. Six elementary motions span all velocities of a rigid body: a unit rotation about each axis,
# $d_{Ox}, d_{Oy}, d_{Oz}$, and a unit translation along each, $d_x, d_y, d_z$. Six elementary forces span all forces: a
# unit couple about each direction, $e_x, e_y, e_z$, and a unit force along each axis, $e_{Ox}, e_{Oy}, e_{Oz}$. In the
# code below, a motion is what it is in nature, a velocity for every point; a force is a list of pushes at points. No 6D
# vector is used. The power of pushes is the sum of force times velocity of the point that is pushed.


# %%
def rotation_about(axis, point):
    return lambda P: np.cross(axis, P - point)


def translation(direction):
    return lambda P: direction


def push(force, point):
    return [(force, point)]


def two_pushes(axis):
    """A unit couple: two opposite forces, one metre apart, at right angles to the axis."""
    arm, force = np.roll(axis, 1), np.roll(axis, 2)  # axis = arm x force
    return [(force, arm / 2), (-force, -arm / 2)]


def power(pushes, field):
    return sum(force @ field(point) for force, point in pushes)


O = np.array([0.3, -0.8, 0.5])  # an origin anywhere
motions = [rotation_about(axis, O) for axis in (i, j, k)] + [translation(axis) for axis in (i, j, k)]
forces = [two_pushes(axis) for axis in (i, j, k)] + [push(axis, O) for axis in (i, j, k)]
table = np.array([[power(e, d) for e in forces] for d in motions])
print(np.round(table, 12) + 0.0)

# %% [markdown]
# The table of powers is the unit matrix, wherever $O$ is (try another). Two bases with
#
# $$ d_i \cdot e_j = \begin{cases} 1 & i = j \\ 0 & i \ne j \end{cases} $$
#
# are called *reciprocal*. The twelve vectors, six in the space of motions $\mathsf{M}^6$ and six in the space of forces
# $\mathsf{F}^6$, are the *Plücker basis* of the frame, and the numbers that belong to them are Plücker coordinates.
# Because the bases are reciprocal, power is the sum of the products of six numbers:
#
# $$ f \cdot v = \Big(\sum_j f_j e_j\Big) \cdot \Big(\sum_i v_i d_i\Big) = \sum_i f_i v_i = \underline{f}^T \underline{v}. $$
#
# Here $f$ is the whole force vector, and $\underline{f}$ is the column of its six numbers in this basis. Where no
# confusion is possible, the line below is left out.
#
# Let us test that with a body that turns about some line while three pushes act at three of its points: nature's power,
# the sum of force times velocity, against six products of the library's coordinates.

# %%
line, point_of_line = rng.normal(size=(2, 3))
pushes = [(rng.normal(size=3), rng.normal(size=3)) for _ in range(3)]

v = twist(line, point_of_line, angular=np.linalg.norm(line))  # angular velocity = line
f = sum(line_force(force, point) for force, point in pushes)

natural = power(pushes, rotation_about(line, point_of_line))
np.testing.assert_allclose(scalar_product(v, f), natural, rtol=1e-12)
np.testing.assert_allclose(v @ f, natural, rtol=1e-12)
print(f"power: {natural:.6f} W, six products: {v @ f:.6f} W")

# %% [markdown]
# Three vectors for practice (course, exercise 27.B1). Line A goes through the origin, in the $y$-$z$ plane, at an angle
# $\theta$ from $y$. Line B is parallel to $z$ and goes through $(1, 2, 0)$.

# %%
theta = 0.7
along_A, along_B, point_of_B = np.array([0, np.cos(theta), np.sin(theta)]), k, np.array([1, 2, 0])
force_A = line_force(along_A, [0, 0, 0])  # (a) a unit force along A
couple_B = couple(along_B)  # (b) a unit couple about B: the point of the line does not matter
both = force_A + line_force(along_B, point_of_B)  # (c) unit forces along A and along B
np.testing.assert_allclose(force_A, [0, 0, 0, 0, np.cos(theta), np.sin(theta)])
np.testing.assert_allclose(couple_B, [0, 0, 1, 0, 0, 0])
np.testing.assert_allclose(both, [2, -1, 0, 0, np.cos(theta), 1 + np.sin(theta)])
somewhere = rng.normal(size=3)
np.testing.assert_allclose(moment_at(couple_B, somewhere), k)  # the same about all points

# %% [markdown]
# ## Two bases in the plane
#
# Reciprocal bases are easier to see where vectors are arrows. A basis of the plane is any two arrows $d_1, d_2$ that
# are not parallel; the coordinates of an arrow $a = a_1 d_1 + a_2 d_2$ count how many of each it takes. If the basis is
# orthonormal, $a_i = d_i \cdot a$, for
#
# $$ d_i \cdot a = \sum_j a_j \, (d_i \cdot d_j) = a_i $$
#
# (exercise 8.A1). If it is not, $d_i \cdot a$ is not $a_i$. Then one needs a second basis $e_1, e_2$ with
# $d_i \cdot e_j = \delta_{ij}$, and $a_i = e_i \cdot a$. With the vectors as columns of matrices $D$ and $E$, the
# condition is $D^T E = 1$: so $E = D^{-T}$ (exercise 36.A1; the course prints $B C^T = 1$, which has the same solution,
# as both matrices are square).

# %%
D = np.column_stack([[1.25, 0.0], [-0.6, 1.0]])  # exercise 8.A5: d_1, d_2
E = np.linalg.inv(D).T
np.testing.assert_allclose(E, np.column_stack([[0.8, 0.48], [0.0, 1.0]]), atol=1e-15)  # what the course prints
np.testing.assert_allclose(reciprocal_basis(D), E, atol=1e-15)  # the library

for alpha in (-2.0, 0.0, 0.5, 10.0):  # exercise 36.A1: b_1 = (1, alpha), b_2 = (0, 1)
    B = np.column_stack([[1.0, alpha], [0.0, 1.0]])
    np.testing.assert_allclose(reciprocal_basis(B), np.column_stack([[1.0, 0.0], [-alpha, 1.0]]), atol=1e-14)

a = np.array([1.9, 1.0])
by_reciprocal = E.T @ a  # e_i . a
np.testing.assert_allclose(coordinates_in(D, a), by_reciprocal, atol=1e-15)
print("coordinates of a in D:", by_reciprocal, "   d_i . a, which they are not:", D.T @ a)

# %%
fig, axes = plt.subplots(1, 2, figsize=(8.0, 3.7))
for n in (0, 1):
    arrow2(axes[0], [0, 0], D[:, n], BLUE, label=f"$d_{n + 1}$")
    arrow2(axes[0], [0, 0], E[:, n], RED, label=f"$e_{n + 1}$")
axes[0].text(-0.98, -0.57, r"$d_1 \perp e_2,\quad d_2 \perp e_1$" "\n" r"$d_1 \cdot e_1 = d_2 \cdot e_2 = 1$")
axes[0].set(xlim=(-1.05, 1.75), ylim=(-0.7, 1.5), title="two reciprocal bases")

first, second = by_reciprocal
arrow2(axes[1], [0, 0], first * D[:, 0], BLUE)
arrow2(axes[1], first * D[:, 0], second * D[:, 1], BLUE)
arrow2(axes[1], [0, 0], a, BLACK, label="$a$")
axes[1].text(1.1, -0.25, f"${first:.0f}\\,d_1$", color=BLUE)
axes[1].text(2.3, 0.5, f"${second:.0f}\\,d_2$", color=BLUE)
axes[1].set(xlim=(-0.3, 2.9), ylim=(-0.5, 2.0), title="coordinates count arrows")
for ax in axes:
    ax.set(aspect="equal", xlabel="x / m", ylabel="y / m")
plt.tight_layout()
plt.show()

# %% [markdown]
# Left: each $e$ is at right angles to the *other* $d$. If $d_2$ leans over, $e_1$ leans too, and $d_1$ can stay as it
# is: a reciprocal vector belongs to the whole basis and not to its partner. Right: the coordinates of $a$ are 2 and 1.
#
# Exercise 36.A1 (b) asks for such a drawing of its $b_1, b_2$ and $c_1, c_2$. With $\alpha = 0.5$:

# %%
alpha = 0.5
fig, ax = plt.subplots(figsize=(3.6, 3.4))
arrow2(ax, [0, 0], [1, alpha], BLUE, label="$b_1$")
arrow2(ax, [0, 0], [0, 1], BLUE, label="$b_2$")
arrow2(ax, [0, 0], [1, 0], RED, label="$c_1$")
arrow2(ax, [0, 0], [-alpha, 1], RED, label="$c_2$")
ax.set(aspect="equal", xlim=(-0.8, 1.3), ylim=(-0.3, 1.3), xlabel="x / m", ylabel="y / m")
plt.show()

# %% [markdown]
# $c_1$ is at right angles to $b_2$, and $c_2$ to $b_1$.
#
# Exercise 8.A4 asks to read coordinates in a basis $b_1, b_2$ off a drawing. Its answers are
# $\underline a = (1.5, 0.5)$, $\underline c = (0.5, 1)$, $\underline d = (0.5, 0.5)$. Whatever the two arrows look
# like, the same can be computed: make the three arrows from these numbers with any basis, and ask for the numbers
# again.

# %%
basis = np.column_stack([[1.0, 0.2], [0.3, 1.1]])
numbers = np.array([[1.5, 0.5], [0.5, 1.0], [0.5, 0.5]])
arrows = numbers @ basis.T  # a = a_1 b_1 + a_2 b_2
np.testing.assert_allclose(coordinates_in(basis, arrows), numbers, atol=1e-15)

# %% [markdown]
# **Exercise 2.1.** Given a basis of $\mathbb{R}^n$ as the columns of a matrix, find the reciprocal basis, also as
# columns.


# %%
def reciprocal(D):
    """The basis with d_i . e_j = 1 if i = j and 0 otherwise: D and the result are (n, n), vectors in columns."""
    ...  # yours


check_exercise(reciprocal, chapter_02.reciprocal)

# %% [markdown]
# ## Another frame
#
# One rule covers every change of coordinates: **the columns of the matrix are the old basis vectors in new
# coordinates** (remember COIN: columns old in new). For if $b_i = \sum_j X_{ji} b'_j$, then
# $u = \sum_i u_i b_i = \sum_j (\sum_i X_{ji} u_i) b'_j$, and $u'_j = \sum_i X_{ji} u_i$.
#
# Let the new frame have its origin at $r$ (in old coordinates) and let $E$ be the rotation matrix that turns old
# coordinates of an arrow into new ones. We ask each of the twelve elementary motions and forces for its six new
# numbers. A unit rotation about the old axis moves the point at the new origin; a force along the old axis has a moment
# about the new origin.


# %%
def motion_columns(E, r):
    columns = []
    for axis in np.eye(3):  # d_Ox, d_Oy, d_Oz: at the new origin the velocity is axis x r
        columns.append(np.concatenate([E @ axis, E @ np.cross(axis, r)]))
    for axis in np.eye(3):  # d_x, d_y, d_z: a translation looks the same from everywhere
        columns.append(np.concatenate([np.zeros(3), E @ axis]))
    return np.column_stack(columns)


def force_columns(E, r):
    columns = []
    for axis in np.eye(3):  # e_x, e_y, e_z: a couple has the same moment about all points
        columns.append(np.concatenate([E @ axis, np.zeros(3)]))
    for axis in np.eye(3):  # e_Ox, e_Oy, e_Oz: the moment about the new origin is (0 - r) x axis
        columns.append(np.concatenate([E @ np.cross(-r, axis), E @ axis]))
    return np.column_stack(columns)


E, r = exp3(rng.normal(size=3)), rng.normal(size=3)  # exp3(axis * angle) is a rotation matrix: here, any one
X, X_star = motion_columns(E, r), force_columns(E, r)

np.testing.assert_allclose(pluecker_transform(E, r), X, atol=1e-14)  # the library's
np.testing.assert_allclose(force_transform(E, r), X_star, atol=1e-14)
np.testing.assert_allclose(np.linalg.inv(X).T, X_star, atol=1e-14)  # two derivations, one law
np.testing.assert_allclose(dual(X), X_star, atol=1e-14)

X_2 = pluecker_transform(exp3(rng.normal(size=3)), rng.normal(size=3))  # on to a third frame, and the way back
np.testing.assert_allclose(compose(X_2, X), X_2 @ X, atol=1e-14)
np.testing.assert_allclose(invert(X), np.linalg.inv(X), atol=1e-14)

# %% [markdown]
# In blocks, with $\tilde r$ the matrix of $r\,\times$,
#
# $$ X = \begin{bmatrix} E & 0 \\ 0 & E \end{bmatrix} \begin{bmatrix} 1 & 0 \\ \tilde r^T & 1 \end{bmatrix}
#      = \begin{bmatrix} E & 0 \\ -E \tilde r & E \end{bmatrix}, \qquad
#    X^* = \begin{bmatrix} E & -E \tilde r \\ 0 & E \end{bmatrix} = X^{-T}. $$
#
# We found $X^*$ by asking forces about their moments. That it is $X^{-T}$ had to be so: power is the same in all
# frames, $\underline{v}^T \underline{f} = (X \underline{v})^T (X^* \underline{f})$ for all $v$ and $f$, and this needs
# $X^T X^* = 1$.
#
# For *orthogonal* matrices $X^{-T} = X$. That is why nobody needs two kinds of arrows in 3D, where frames only turn.
# $X$ is not orthogonal as soon as the origin moves.
#
# Exercise 36.A2 is the smallest case: $Q$ is at $(0, l, 0)$, the axes are parallel. A body that turns about $Qx$ moves
# the point at $O$ downwards, so $d_{Qx} = d_{Ox} - l\, d_z$; likewise $d_{Qz} = d_{Oz} + l\, d_x$, and
# $d_{Qy} = d_{Oy}$, which is the same line. The coordinates change the other way, $v_{Qx} = v_{Ox} - l \omega_z$,
# $v_{Qz} = v_{Oz} + l \omega_x$, and the vector itself stays what it is.

# %%
l = 0.4
X_Q = pluecker_transform(np.eye(3), [0, l, 0])  # from O to Q coordinates
d_O = np.eye(6)  # the basis at O, in O coordinates: columns d_Ox, d_Oy, d_Oz, d_x, d_y, d_z
d_Q = d_O.copy()  # the basis at Q, in O coordinates
d_Q[:, 0] = d_O[:, 0] - l * d_O[:, 5]
d_Q[:, 2] = d_O[:, 2] + l * d_O[:, 3]
np.testing.assert_allclose(change_of_basis(d_O, d_Q), X_Q, atol=1e-15)  # columns: old in new

v_O = rng.normal(size=6)
v_Q = transform_motion(X_Q, v_O)
np.testing.assert_allclose(v_Q, [*v_O[:3], v_O[3] - l * v_O[2], v_O[4], v_O[5] + l * v_O[0]])
np.testing.assert_allclose(d_Q @ v_Q, d_O @ v_O)  # (c): other numbers, other basis, the same vector

# %% [markdown]
# **Exercise 2.2.** Write down $X^*$ yourself: the 6 x 6 matrix for force vectors, from $E$ and $r$.


# %%
def force_matrix(E, r):
    """X* for force vectors (moment first), to a frame with its origin at r; E turns old into new coordinates of arrows."""
    ...  # yours


check_exercise(force_matrix, chapter_02.force_matrix)

# %% [markdown]
# ## The prediction
#
# The turning body and the couple, both $(0, 0, 1, 0, 0, 0)$ at $O$, seen from one metre along $x$:

# %%
v, f = np.array([0, 0, 1, 0, 0, 0.0]), np.array([0, 0, 1, 0, 0, 0.0])
X_Q = pluecker_transform(np.eye(3), [1, 0, 0])
v_Q, f_Q = transform_motion(X_Q, v), transform_force(X_Q, f)
print("v at Q:", v_Q)
print("f at Q:", f_Q)
print(f"root of the sum of squares of v: {np.linalg.norm(v)} at O, {np.linalg.norm(v_Q):.4f} at Q")
print("power: ", v @ f, "at O,", v_Q @ f_Q, "at Q")
np.testing.assert_allclose(v_Q[3:], velocity_at(v, [1, 0, 0]))

# %% [markdown]
# The twist got a linear part, since the point of the body at $Q$ moves; the couple did not change. Equal numbers in one
# frame and different ones in another: $v$ and $f$ were never the same vector. And the "speed" went from 1 to 1.4142,
# although the body does what it did.
#
# How bad is a length that depends on the frame? Bad enough to change which of two bodies is "faster". Body A turns
# about the origin with 1 rad/s; body B slides along $y$ with 1.5 m/s. The frame's origin moves along $x$.

# %%
offset = np.linspace(-3, 3, 121)
frames = pluecker_transform(np.eye(3), np.column_stack([offset, 0 * offset, 0 * offset]))
turning, sliding = np.array([0, 0, 1, 0, 0, 0.0]), np.array([0, 0, 0, 0, 1.5, 0])
force = line_force([0.0, 0.8, 0.0], [2.0, 0.0, 0.0])

fig, axes = plt.subplots(1, 2, figsize=(8.0, 3.2), sharex=True)
for motion, name, color, line in ((turning, "A turns", BLUE, "-"), (sliding, "B slides", RED, "--")):
    seen = transform_motion(frames, motion)
    axes[0].plot(offset, np.linalg.norm(seen, axis=-1), line, color=color, label=name)
    axes[1].plot(offset, scalar_product(seen, transform_force(frames, force)), line, color=color, label=name)
axes[0].set(ylabel="root of the sum of squares", title=r"$\sqrt{v \cdot v}$ has no meaning", ylim=(0, 3.4))
axes[1].set(ylabel="power of one force / W", title=r"$f \cdot v$ has one", ylim=(0, 2.2))
for ax in axes:
    ax.set_xlabel("origin of the frame along x / m")
    ax.legend(loc="lower right")
plt.tight_layout()
plt.show()

# %% [markdown]
# Near the body's axis A is "slower" than B, far from it "faster". No change of units mends this; the sum
# $\omega \cdot \omega + v_O \cdot v_O$ also adds rad²/s² and m²/s². Power, on the right, is the same from everywhere.
#
# ## What may not be added: doing it on purpose
#
# NumPy adds any two arrays of six numbers. Let us add a motion and a force vector, and then change the frame. If the sum
# meant anything, it would not matter which we do first.

# %%
v, f = rng.normal(size=(2, 6))
frame = pluecker_transform(exp3([0.1, 0.2, 0.3]), [0.0, 0.5, 0.0])
sum_first = frame @ (v + f)  # as a motion vector
frame_first = frame @ v + dual(frame) @ f
print("sum, then new frame: ", sum_first.round(3))
print("new frame, then sum: ", frame_first.round(3))
print("largest difference:  ", np.abs(sum_first - frame_first).max().round(3))
assert np.abs(sum_first - frame_first).max() > 0.1
assert np.abs(dual(frame) @ (v + f) - frame_first).max() > 0.1  # nor as a force vector

# %% [markdown]
# The two differ, and treating the sum as a force vector would not help. So the sum is not a vector of any kind: it is a
# list of numbers about one frame. The library's typed vectors know their space and their frame. They refuse such sums,
# and products of two motions, and sums of vectors of different frames.

# %%
v_base = MotionVector(v, frame="base")
f_base = ForceVector(f, frame="base")
f_tool = ForceVector(f, frame="tool")
for what, wrong in {
    "motion + force": lambda: v_base + f_base,
    "motion . motion": lambda: v_base @ v_base,
    "two frames": lambda: f_base + f_tool,
}.items():
    try:
        wrong()
    except (TypeError, ValueError) as error:
        print(f"{what:16} {type(error).__name__}: {error}")
    else:
        raise AssertionError(f"{what} was not refused")

to_tool = PlueckerTransform(exp3([0.1, 0.2, 0.3]), [0.0, 0.5, 0.0], source="base", target="tool")
np.testing.assert_allclose(f_base @ v_base, (to_tool @ f_base) @ (to_tool @ v_base), rtol=1e-12)  # power
print("\nto tool:", to_tool @ f_base + f_tool)  # the same frame: this is a sum

# %% [markdown]
# What may be added, and what the sums mean:
#
# | operation | meaning |
# |---|---|
# | $v_B - v_A$ | the velocity of body B relative to body A |
# | $f_1 + f_2$ | the one force that does what both do, on the *same* body |
# | $f$ and $-f$ | action and reaction: A pushes B with $f$, B pushes A with $-f$ |
# | $\alpha v$, $\beta f$ | the same line and pitch, stronger or weaker |
# | $f \cdot v$ | power, of a force on a body with that velocity |
# | $v_1 \cdot v_2$, $f_1 \cdot f_2$, $v + f$ | nothing |
#
# Rigidly joined bodies have the *same* velocity, not only parallel ones: six numbers cover all points of both.
#
# ## A robot with two joints
#
# Joint 1 turns about the $z$ axis. Joint 2 turns about a line parallel to it, through $(1, 0)$. The unit rotations
# about the joints' axes are two motion vectors $s_1, s_2$, and velocities add up from the base: $v_1 = s_1 \dot q_1$,
# $v_2 = v_1 + s_2 \dot q_2$. A force of 1 N to the left pulls at $P = (1, 1)$ (course, exercises 27.B2 and B3).

# %%
joints, P, pull = np.array([[0.0, 0, 0], [1.0, 0, 0]]), np.array([1.0, 1.0, 0.0]), np.array([-1.0, 0.0, 0.0])
fig, ax = plt.subplots(figsize=(4.6, 3.6))
ax.plot([0, 1], [0, 0], color=GREY, lw=9, solid_capstyle="round", zorder=1)
ax.plot([1, 1], [0, 1], color=SKY, lw=9, solid_capstyle="round", zorder=1)
ax.plot(*joints[:, :2].T, "o", color="white", mec=BLACK, ms=13, mew=1.8, zorder=3)
ax.plot(*P[:2], "o", color=BLACK, ms=5, zorder=6)
arrow2(ax, P[:2], [-0.6, 0.0], RED)
ax.text(0.4, 1.07, "1 N", color=RED)
ax.text(0.5, 0.1, "body 1", ha="center")
ax.text(1.09, 0.5, "body 2", va="center")
ax.text(0.02, -0.24, "joint 1", ha="center")
ax.text(1.0, -0.24, "joint 2", ha="center")
ax.text(1.09, 1.03, "P")
ax.set(aspect="equal", xlim=(-0.4, 1.6), ylim=(-0.4, 1.35), xlabel="x / m", ylabel="y / m")
plt.show()

# %%
s_1, s_2 = twist(k, joints[0]), twist(k, joints[1])  # B2 (a)
np.testing.assert_array_equal(s_1, [0, 0, 1, 0, 0, 0])
np.testing.assert_array_equal(s_2, [0, 0, 1, 0, -1, 0])

qd = np.array([0.7, -1.3])  # rad/s
v_1 = s_1 * qd[0]  # (b)
v_2 = v_1 + s_2 * qd[1]
np.testing.assert_allclose(v_2, [0, 0, qd.sum(), 0, -qd[1], 0])
jacobian = np.column_stack([s_1, s_2])  # (c): v_2 = J qd
np.testing.assert_allclose(jacobian @ qd, v_2)
np.testing.assert_allclose(velocity_at(v_2, P), [-qd.sum(), qd[0], 0])  # (d)


# independent: P is where two angles put it, and its velocity a finite difference
def tip(q):
    elbow = np.array([np.cos(q[0]), np.sin(q[0])])
    return elbow + np.array([-np.sin(q.sum()), np.cos(q.sum())])


h = 1e-6
np.testing.assert_allclose(velocity_at(v_2, P)[:2], (tip(h * qd) - tip(-h * qd)) / (2 * h), atol=1e-9)

# %% [markdown]
# Statics. Let $f$ be the pull as a force vector. In balance, the sum of the forces on each body is zero. Joint 2 passes
# $f_2$ from body 1 to body 2, joint 1 passes $f_1$ from the base to body 1: $f_2 + f = 0$ and $f_1 - f_2 = 0$, so
# $f_1 = f_2 = -f$. The torque at a joint is a number, the part of its force that does work on its motion,
# $\tau_i = s_i \cdot f_i$, so that its power is $\tau_i \dot q_i$. (The answer to (a) is $(0, 0, -1, 1, 0, 0)$. Some
# prints of the course have $f$ there, without the minus sign; their torques are right.)

# %%
f = line_force(pull, P)
np.testing.assert_array_equal(f, [0, 0, 1, -1, 0, 0])
through_joints = -f
torques = jacobian.T @ through_joints
np.testing.assert_allclose(torques, [-1, -1])
np.testing.assert_allclose(torques @ qd + scalar_product(v_2, f), 0, atol=1e-15)  # no power is left over
print("torques:", torques, "N m")

# %% [markdown]
# **Exercise 2.3.** (27.B1 (c), for any number of forces.) Forces $f_1, f_2, \dots$ act along lines through the points
# $P_1, P_2, \dots$ Write the one force vector that does the same.


# %%
def total_force(forces, points):
    """The force vector (moment about the origin first) of forces (n, 3) that act through points (n, 3)."""
    ...  # yours


check_exercise(total_force, chapter_02.total_force)

# %% [markdown]
# **Exercise 2.4.** (27.B2 and B3.) Two joints turn about axes parallel to $z$ through `joint_1` and `joint_2`. A force
# `pull` acts on body 2 at the point `P`; nothing moves. Which torques must the two joints have, in this order?


# %%
def holding_torques(joint_1, joint_2, P, pull):
    """The two torques (N m) that keep the robot at rest; all arguments have shape (3,), in the frame of the base."""
    ...  # yours


check_exercise(holding_torques, chapter_02.holding_torques)

# %% [markdown]
# ## Remember
#
# - Motions and forces are elements of two spaces, $\mathsf{M}^6$ and $\mathsf{F}^6$. One frame gives both a basis, and
#   the two are reciprocal.
# - The columns of a transform are the old basis vectors in new coordinates. Motions take $X$, forces $X^* = X^{-T}$.
# - $f \cdot v$ is power, in every frame. $v \cdot v$, $f \cdot f$ and $v + f$ are nothing.
# - Before you add, ask: the same space, the same frame, and for forces: the same body?
#
# Next, notebook 3: what becomes of a vector that is carried along by a moving body.
#
# References: R. Featherstone, *Rigid Body Dynamics Algorithms*, Springer 2008, sections 2.1 to 2.8; his course on
# spatial vectors, parts 1 to 3 (sections 7, 8 and 21 to 36 of source document 001, see `docs/sources.md`).
