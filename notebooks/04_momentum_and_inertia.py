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
# # 4. Momentum and inertia
#
# **Claim.** Ten numbers, in one 6 x 6 matrix $I$, say all about how a rigid body resists acceleration: $h = I v$ is its
# momentum, inertias of bodies that are joined add up, and $f = \frac{d}{dt}(I v) = I a + v \times^* I v$ is Newton's
# and Euler's equation in one.
#
# You need notebooks 1 to 3: twists, force vectors, $X^*$, and $v \times^*$.
#
# ## Predict
#
# Hold a tennis racket by the end of its grip, its face level, and mark the upper side of the face. Throw it up so that
# it turns head over grip, about the axis that lies in the face at right angles to the handle. After one whole turn you
# catch the grip again.
#
# 1. Is the marked side up or down?
# 2. The racket has three axes at right angles: along the handle, across the face, and at right angles to the face. If
#    one spins it about one of them, very nearly, about which axes does it keep spinning?
#
# No force acts in flight but gravity, which turns nothing. So what could turn the face?

# %%
import matplotlib.pyplot as plt
import numpy as np
from scipy.special import ellipj, ellipk

from exercises import chapter_04
from figures import BLACK, BLUE, GREEN, GREY, ORANGE, RED, SKY, moving, space, use_style
from pluecker.contact import Bodies
from pluecker.course import velocity_at
from pluecker.spatial import (
    RigidBodyInertia,
    body_kinetic_energy,
    body_momentum,
    check_consistent,
    classical_acceleration,
    cross_force,
    density_inertia,
    dual,
    exp3,
    exp6,
    inertia_parameters,
    inertia_rate,
    inverse_inertia,
    net_force,
    pluecker_transform,
    point_masses,
    principal_axes,
    quaternion_from_rotation,
    relative_inertia,
    shapes,
    shift_inertia,
    skew,
    spatial_acceleration,
    spatial_inertia,
    transform_force,
    transform_from_placement,
    transform_inertia,
    transform_motion,
)
from pluecker.teaching import check_exercise

use_style()
rng = np.random.default_rng(4)


def close(x, y):
    np.testing.assert_allclose(x, y, rtol=1e-11, atol=1e-11)


# %% [markdown]
# ## Naive: a body is particles
#
# Nature knows particles: a particle at $P$ with mass $m$ and velocity $\dot r$ has the momentum $m \dot r$, along a
# line through $P$. A line with a magnitude is a force vector (notebook 2),
# $(\overrightarrow{OP} \times m \dot r,\; m \dot r)$. A rigid body is many particles that share one twist. Its momentum
# is the sum, and its kinetic energy is the sum of $\frac12 m \dot r^2$. Both depend on six numbers $v$, the momentum
# linearly. So there is a matrix, and its columns are the momenta of six elementary motions.

# %%
masses = rng.uniform(0.1, 1.0, size=50)
places = rng.normal(size=(50, 3)) * [0.5, 0.3, 0.1] + [0.4, -0.2, 0.6]


def momentum_of_particles(v):
    """The sum of the momenta, as lines: moment about the origin, then linear momentum."""
    h = np.zeros(6)
    for m, P in zip(masses, places, strict=True):
        p = m * (v[3:] + np.cross(v[:3], P))
        h += np.concatenate([np.cross(P, p), p])
    return h


def energy_of_particles(v):
    rates = v[3:] + np.cross(v[:3], places)
    return 0.5 * masses @ (rates**2).sum(axis=1)


I = np.column_stack([momentum_of_particles(d) for d in np.eye(6)])  # column by column
v = rng.normal(size=6)
close(I @ v, momentum_of_particles(v))
close(0.5 * v @ I @ v, energy_of_particles(v))
close(I, I.T)
assert np.linalg.eigvalsh(I).min() > 0  # energy is positive
print(I.round(2) + 0.0)

# %% [markdown]
# The matrix has a pattern. With the total mass $m$, the centre of mass $c$, the rotational inertia $\bar I_C$ about the
# centre of mass (3 x 3, therefore the bar), the matrix $\tilde c$ of $c\,\times$, and the unit matrix $1$,
#
# $$ I = \begin{bmatrix} \bar I_C - m\, \tilde c\, \tilde c & m\, \tilde c \\ m\, \tilde c^T & m 1 \end{bmatrix}. $$
#
# Ten numbers: 1 mass, 3 of $m c$, and 6 of the symmetric matrix in the upper left corner. The body may have fifty
# particles or $10^{26}$: nothing else of it can be felt in its motion. The library's inertias:

# %%
m = masses.sum()
c = masses @ places / m
arms = places - c
I_C = sum(mass * (arm @ arm * np.eye(3) - np.outer(arm, arm)) for mass, arm in zip(masses, arms, strict=True))

close(I, np.block([[I_C - m * skew(c) @ skew(c), m * skew(c)], [m * skew(c).T, m * np.eye(3)]]))
close(spatial_inertia(m, c, I_C), I)
close(point_masses(masses, places), I)
close(body_momentum(I, v), momentum_of_particles(v))
close(body_kinetic_energy(I, v), energy_of_particles(v))
for found, expected in zip(inertia_parameters(I), (m, c, I_C), strict=True):
    close(found, expected)
close(shift_inertia(m, I_C, c), I[:3, :3])  # the corner is the inertia about the origin: parallel axes

# Ten numbers and not more: matrices of many random bodies, as rows of 36 numbers, span ten dimensions.
cloud = [point_masses(rng.uniform(0, 1, 8), rng.normal(size=(8, 3))).ravel() for _ in range(100)]
between = [relative_inertia(cloud[n].reshape(6, 6), cloud[n + 1].reshape(6, 6)).ravel() for n in range(99)]
print("dimensions that inertias of rigid bodies span:", np.linalg.matrix_rank(cloud))
print("and those of what two bodies do to each other:", np.linalg.matrix_rank(between))

# %% [markdown]
# The second number, 21, is that of all symmetric 6 x 6 matrices. Such inertias come up at the end of this notebook, and
# again in robots, as articulated-body inertias.
#
# Not all ten numbers belong to a body: no principal moment exceeds the sum of the two others, since
# $A = \int (y^2 + z^2)\, dm$, $B = \int (z^2 + x^2)\, dm$, and $C = \int (x^2 + y^2)\, dm$.

# %%
try:
    check_consistent(spatial_inertia(1.0, [0, 0, 0], np.diag([1.0, 1.0, 3.0])))
except ValueError as error:
    print(error)
else:
    raise AssertionError("not refused")

# %% [markdown]
# ### The entries one by one
#
# Textbooks write the ten numbers as integrals over the body's density, with $p$ measured from the centre of mass for the
# inertia tensor:
#
# $$ m = \int \rho, \quad m\, c = \int \rho\, x, \quad
#    \bar I_C = \int \rho \begin{bmatrix} p_y^2 + p_z^2 & -p_x p_y & -p_x p_z \\
#      -p_x p_y & p_z^2 + p_x^2 & -p_y p_z \\ -p_x p_z & -p_y p_z & p_x^2 + p_y^2 \end{bmatrix}. $$
#
# (Source document 004, see `docs/sources.md`, prints $-p_y p_z$ as the entry 1, 2 of this matrix, and $-a_y a_z$ in the
# shift to another point by $a$. Neither would be symmetric.) Other axes turn the tensor, $R \bar I_C R^T$; another
# point at the distance $a$ adds $m (a \cdot a\, 1 - a a^T)$, the theorem of parallel axes. Both are in $X^* I X^{-1}$,
# the inertia in another frame, which has its own section below.

# %%
cube = density_inertia(lambda x: 6.0 * x[:, 2], [[0, 0, 0], [1, 1, 1]]).inertia  # kg/m^3: heavier towards the top
mass, center, tensor = inertia_parameters(cube)
close(mass, 3.0)
close(center, [1 / 2, 1 / 2, 2 / 3])
close(np.diag(tensor), 3.0 * np.array([1 / 12 + 1 / 18, 1 / 12 + 1 / 18, 1 / 6]))  # by hand

R, a = exp3(rng.normal(size=3)), rng.normal(size=3)
turned = transform_inertia(pluecker_transform(R, np.zeros(3)), spatial_inertia(m, np.zeros(3), I_C))
close(turned[:3, :3], R @ I_C @ R.T)
shifted = transform_inertia(pluecker_transform(np.eye(3), -a), spatial_inertia(m, np.zeros(3), I_C))
close(shifted[:3, :3], I_C + m * (a @ a * np.eye(3) - np.outer(a, a)))

# %% [markdown]
# ### Momentum from its parts
#
# The body's linear momentum is $m v_C$, along a line through $C$; its intrinsic angular momentum $\bar I_C \omega$ is a
# free vector, like a couple. So $h = (\bar I_C \omega + c \times m v_C,\; m v_C)$. Exercise 48.A1 asks whether $I v$ is
# the same. It is, with $v_C = v_O - c \times \omega$:
#
# $$ I v = \begin{bmatrix} \bar I_C\, \omega - m\, c \times (c \times \omega) + m\, c \times v_O \\
#        - m\, c \times \omega + m\, v_O \end{bmatrix}
#        = \begin{bmatrix} \bar I_C\, \omega + c \times m v_C \\ m v_C \end{bmatrix}. $$
#
# (Some prints of the course have $\bar I_O$ in the first entry. It would count the second term twice.)

# %%
w, v_O = v[:3], v[3:]
v_C = velocity_at(v, c)
close(body_momentum(I, v), np.concatenate([I_C @ w + np.cross(c, m * v_C), m * v_C]))
as_printed = I[:3, :3] @ w - m * np.cross(c, np.cross(c, w)) + m * np.cross(c, v_O)
assert np.abs(as_printed - body_momentum(I, v)[:3]).max() > 0.1

# %% [markdown]
# **Exercise 4.1.** The momentum of a body, from $m$, $c$, $\bar I_C$, and its twist, without the 6 x 6 matrix.


# %%
def momentum_of_body(m, c, I_C, v):
    """The six numbers of h: moment of momentum about the origin, then linear momentum."""
    ...  # yours


check_exercise(momentum_of_body, chapter_04.momentum_of_body)

# %% [markdown]
# ## Joined bodies: inertias add up
#
# Bodies that are joined share their twist $v$, and momenta add up: $I_A v + I_B v = (I_A + I_B) v$. The only care is
# that all are written in the same frame. Let us build a racket of 0.3 kg from a grip (a box) and a head (a hoop of
# particles; strings weigh little). Its frame is at the end of the grip, $x$ along the handle, $z$ at right angles to
# the face.

# %%
turn = np.linspace(0, 2 * np.pi, 49)[:-1]
hoop = np.column_stack([0.52 + 0.17 * np.cos(turn), 0.13 * np.sin(turn), 0 * turn])  # m
head = point_masses(np.full(48, 0.15 / 48), hoop)  # 0.15 kg, already in the racket's frame
grip_alone = shapes.box(0.15, [0.36, 0.03, 0.03])  # about its own centre
to_racket = pluecker_transform(np.eye(3), [-0.18, 0, 0])  # the racket's origin, seen from the centre of the grip
grip = transform_inertia(to_racket, grip_alone)
racket = head + grip

mass, center, J = inertia_parameters(racket)
print(f"{mass:.2f} kg, balanced {100 * center[0]:.0f} cm from the end of the grip")
print(
    "principal moments along the handle, across, and at right angles to the face:", 1e3 * np.diag(J).round(7), "g m^2"
)
close(J, np.diag(np.diag(J)))  # x, y, z are the principal axes
close(np.sort(np.diag(J)), principal_axes(racket).moments)

# %% [markdown]
# ### Doing it wrong on purpose
#
# One might add masses, and rotational inertias about each part's *own* centre: each is "the inertia of the part", is it
# not? Test it with the kinetic energy of the racket when it turns about its centre of mass, across the face, against
# the sum of the energies of the parts.

# %%
own = [inertia_parameters(part)[2] for part in (head, grip)]
wrong = spatial_inertia(mass, center, own[0] + own[1])

w = np.array([0.0, 8.0, 0.0])
turning = np.concatenate([w, np.cross(center, w)])  # the centre of mass stays where it is
parts = body_kinetic_energy(head, turning) + body_kinetic_energy(grip, turning)
print(f"sum of the parts: {parts:.4f} J,  I_A + I_B: {body_kinetic_energy(racket, turning):.4f} J,  ", end="")
print(f"own centres: {body_kinetic_energy(wrong, turning):.4f} J")
close(parts, body_kinetic_energy(racket, turning))
assert body_kinetic_energy(wrong, turning) < 0.5 * parts

# %% [markdown]
# More than half of the energy is missing: the parts also *move*, on circles about the common centre. The numbers that
# add up are $m$, $m c$, and the inertia about one common *point*. In the 6 x 6 matrix they are all there, so the plain
# sum of matrices is right, in any frame that both share.
#
# The typed inertias of the library know their frame and refuse to add others:

# %%
head_t = RigidBodyInertia(*inertia_parameters(head), frame="racket")
grip_t = RigidBodyInertia(*inertia_parameters(grip_alone), frame="grip")
try:
    head_t + grip_t
except ValueError as error:
    print(type(error).__name__, "-", error)
else:
    raise AssertionError("not refused")

# %% [markdown]
# **Exercise 4.2.** Two bodies are welded together. Given $m$, $c$ and $\bar I_C$ of each in one frame, find those of
# the whole.


# %%
def weld(m_A, c_A, I_A, m_B, c_B, I_B):
    """(m, c, I_C) of both together: mass, centre of mass, rotational inertia (3, 3) about the common centre of mass."""
    ...  # yours


check_exercise(weld, chapter_04.weld)

# %% [markdown]
# ## Another frame
#
# Energy is the same in all frames, so $I_B = X^* I_A X^{-1}$: undo the change of $v$, multiply, change the momentum. It
# is a *congruence*, with $X^{-T}$ on the left and not with the inverse: it keeps symmetry and positive definiteness,
# but *not* eigenvalues. "The eigenvectors of the 6 x 6 inertia" mean nothing. For the inverse, invert both sides
# (exercise 48.A2): $I_B^{-1} = X I_A^{-1} X^T$.

# %%
X = pluecker_transform(exp3(rng.normal(size=3)), rng.normal(size=3))
I_B = transform_inertia(X, I)
close(I_B, dual(X) @ I @ np.linalg.inv(X))
close(0.5 * (X @ v) @ I_B @ (X @ v), energy_of_particles(v))
close(transform_force(X, body_momentum(I, v)), body_momentum(I_B, transform_motion(X, v)))
close(inverse_inertia(I_B), X @ inverse_inertia(I) @ X.T)  # 48.A2
print("eigenvalues in A:", np.linalg.eigvalsh(I).round(2))
print("eigenvalues in B:", np.linalg.eigvalsh(I_B).round(2))
assert np.abs(np.linalg.eigvalsh(I) - np.linalg.eigvalsh(I_B)).max() > 0.1

# %% [markdown]
# ## The equation of motion
#
# Force is the rate of change of momentum. In a fixed frame a body that moves has an inertia that changes. Like every
# symmetric positive matrix, $I$ is a sum of products $f_i f_i^T$, here of force vectors that ride on the body; so the
# product rule gives
#
# $$ \frac{dI}{dt} = v \times^* I - I\, v \times, \qquad
#    f = \frac{d}{dt}(I v) = I a + (v \times^* I - I\, v \times) v = I a + v \times^* I v, $$
#
# as $v \times v = 0$. Check both with the ride of notebook 3, where a body keeps its twist (and so has $a = 0$):


# %%
def ridden(t):
    """The inertia in the fixed frame, when the body has moved with v for a time t."""
    back = np.linalg.inv(transform_from_placement(exp6(t * v)))  # from body to fixed coordinates
    return dual(back) @ I @ np.linalg.inv(back)


def rate(function, h=1e-4):
    return (8 * (function(h) - function(-h)) - (function(2 * h) - function(-2 * h))) / (12 * h)


np.testing.assert_allclose(inertia_rate(I, v), rate(ridden), atol=1e-6)
np.testing.assert_allclose(net_force(I, v, np.zeros(6)), rate(lambda t: ridden(t) @ v), atol=1e-6)
close(net_force(I, v, np.zeros(6)), cross_force(v, I @ v))

# %% [markdown]
# At the centre of mass this contains Newton's $f = m \ddot c$ and Euler's
# $n_C = \bar I_C \dot \omega + \omega \times \bar I_C \omega$ (exercise 48.A4): with
# $a = (\dot\omega,\; \ddot c - \omega \times v_C)$,
#
# $$ \begin{bmatrix} n_C \\ f \end{bmatrix}
#  = \begin{bmatrix} \bar I_C \dot\omega \\ m \ddot c - m\, \omega \times v_C \end{bmatrix}
#  + \begin{bmatrix} \omega \times \bar I_C \omega + v_C \times m v_C \\ \omega \times m v_C \end{bmatrix}
#  = \begin{bmatrix} \bar I_C \dot\omega + \omega \times \bar I_C \omega \\ m \ddot c \end{bmatrix}. $$
#
# (Some prints have another vector in the place of $\dot\omega$ in the first line.) But it holds in every frame,
# whether at the centre of mass or not.

# %%
w, dw, v_C, c_dd = rng.normal(size=(4, 3))
v_at_C = np.concatenate([w, v_C])
a_at_C = spatial_acceleration(v_at_C, np.concatenate([dw, c_dd]))
newton_euler = np.concatenate([I_C @ dw + np.cross(w, I_C @ w), m * c_dd])
close(net_force(spatial_inertia(m, np.zeros(3), I_C), v_at_C, a_at_C), newton_euler)

X = pluecker_transform(exp3(rng.normal(size=3)), rng.normal(size=3))  # anywhere else
elsewhere = net_force(transform_inertia(X, spatial_inertia(m, np.zeros(3), I_C)), X @ v_at_C, X @ a_at_C)
close(elsewhere, transform_force(X, newton_euler))

# %% [markdown]
# ### The same in other books
#
# Engines in *maximal coordinates* keep for each body the position and rotation $r, R$, and the velocities $v_C, \omega$
# along the world's axes, the linear part first. $I_0$ is the rotational inertia about the centre of mass in the body's
# axes, a constant; $I_C$ is the same in the world's axes; and $\tau$ is the torque about the centre of mass:
#
# $$ \dot r = v_C, \quad \dot R = \tilde\omega R, \quad p = m v_C, \quad L = I_C\, \omega = R I_0 R^T \omega, \quad
#    \begin{bmatrix} m 1 & \\ & I_C \end{bmatrix} \begin{bmatrix} \dot v_C \\ \dot\omega \end{bmatrix}
#    = \begin{bmatrix} f \\ \tau - \omega \times I_C \omega \end{bmatrix}. $$
#
# The term $\omega \times I_C \omega$, the gyroscopic torque, is there because $I_C = R I_0 R^T$ turns with the body. It
# is zero when $\omega$ is along a principal axis. RedMax, the method of notebook 9, writes the same in the body's axes,
# $I_0 \dot\omega = -\omega \times I_0 \omega + R^T \tau$ and $m \dot v = -\omega \times m v + R^T f$, where $\dot v$ is
# the rate of three numbers: that is $I a + v \times^* I v$ at the centre of mass. One body, three ways:

# %%
I_0, R = np.diag([0.2, 0.3, 0.4]), exp3(rng.normal(size=3))  # body axes; from body to world axes
w_world, v_world, torque, force = rng.normal(size=(4, 3))
I_world = R @ I_0 @ R.T
maximal = np.concatenate(
    [
        np.linalg.solve(I_world, torque - np.cross(w_world, I_world @ w_world)),
        force / m,
    ]  # angular first, as always here
)

inertia_body = spatial_inertia(m, np.zeros(3), I_0)
v_body = np.concatenate([R.T @ w_world, R.T @ v_world])
wrench_body = np.concatenate([R.T @ torque, R.T @ force])
a_body = inverse_inertia(inertia_body) @ (wrench_body - cross_force(v_body, inertia_body @ v_body))
redmax = np.concatenate(
    [
        np.linalg.solve(I_0, R.T @ torque - np.cross(v_body[:3], I_0 @ v_body[:3])),
        R.T @ force / m - np.cross(v_body[:3], v_body[3:]),
    ]
)
close(a_body, redmax)
close(classical_acceleration(v_body, a_body), np.concatenate([R.T @ maximal[:3], R.T @ maximal[3:]]))

bodies = Bodies(  # the library's bodies in maximal coordinates
    mass=[m],
    inertia=[I_0],
    position=[[0, 0, 0]],
    orientation=[quaternion_from_rotation(R)],
    velocity=[np.concatenate([w_world, v_world])],
    wrench=[np.concatenate([torque, force])],
)
close(bodies.acceleration()[0], maximal)
close(R @ body_momentum(inertia_body, v_body)[:3], I_world @ w_world)  # L
close(np.cross(3.0 * R[:, 1], I_world @ (3.0 * R[:, 1])), np.zeros(3))  # about a principal axis

# %% [markdown]
# **Exercise 4.3.** A body has the inertia $I$ and the twist $v$; the force $f$ acts on it. Its spatial acceleration?


# %%
def acceleration_of_body(I, v, f):
    """The six numbers of a, in the frame in which I (6, 6), v (6,) and f (6,) are given."""
    ...  # yours


check_exercise(acceleration_of_body, chapter_04.acceleration_of_body)

# %% [markdown]
# ## The flight of the racket
#
# Thirty lines of NumPy. The frame is fixed to the racket, at the end of the grip, which is *not* its centre of mass. In
# this frame $I$ is constant and, as $v \times v = 0$, the rates of the six numbers of $v$ are those of
# $a = -I^{-1} (v \times^* I v)$. The rotation $R$ and the position $p$ of the frame follow from
# $\dot R = R\, \tilde\omega$ and $\dot p = R\, v_O$. Gravity is left out: it makes the whole flight fall, and turns nothing.


# %%
def rates(state, inertia):
    """Of the twist of free bodies in body coordinates, of their rotations and positions."""
    v, R, _ = state
    w, h = v[..., :3], v @ inertia
    bias = np.concatenate(
        [np.cross(w, h[..., :3]) + np.cross(v[..., 3:], h[..., 3:]), np.cross(w, h[..., 3:])], axis=-1
    )
    return -bias @ np.linalg.inv(inertia), np.cross(R, w[..., None, :]), (R @ v[..., 3:, None])[..., 0]


def fly(inertia, twists, duration, step):
    """Runge and Kutta's method of order 4, from R = 1 and p = 0; times, and the states at these times."""
    state = (twists, np.broadcast_to(np.eye(3), (*twists.shape[:-1], 3, 3)), np.zeros((*twists.shape[:-1], 3)))
    path = [state]
    for _ in range(round(duration / step)):
        k1 = rates(state, inertia)
        k2 = rates([x + 0.5 * step * k for x, k in zip(state, k1, strict=True)], inertia)
        k3 = rates([x + 0.5 * step * k for x, k in zip(state, k2, strict=True)], inertia)
        k4 = rates([x + step * k for x, k in zip(state, k3, strict=True)], inertia)
        slopes = [(a + 2 * b + 2 * c + d) / 6 for a, b, c, d in zip(k1, k2, k3, k4, strict=True)]
        state = tuple(x + step * k for x, k in zip(state, slopes, strict=True))
        path.append(state)
    return step * np.arange(len(path)), *(np.array(part) for part in zip(*path, strict=True))


speed, nudge = 8.0, 0.15  # rad/s
starts = speed * np.eye(3) + nudge * np.roll(np.eye(3), 1, axis=1)  # nearly about x, y, z, with a bit of the next axis
twists = np.concatenate([starts, np.cross(center, starts)], axis=1)  # the centre of mass does not move
time, v_path, R_path, p_path = fly(racket, twists, 5.0, 4e-3)

fig, axes = plt.subplots(1, 3, figsize=(8.4, 2.9), sharey=True)
names = ("along the handle", "across the face", "at right angles to it")
for n, (ax, name) in enumerate(zip(axes, names, strict=True)):
    for axis, (color, style) in enumerate(((RED, "-"), (GREEN, "--"), (BLUE, ":"))):
        ax.plot(time, v_path[:, n, axis], style, color=color, label=rf"$\omega_{'xyz'[axis]}$")
    ax.set(title=f"spun {name}", xlabel="time / s")
axes[0].set_ylabel("rad / s")
axes[1].legend(loc="lower left", ncols=3, fontsize=9, columnspacing=0.8, handlelength=1.4)
axes[1].set_ylim(-14, 14)
plt.tight_layout()
plt.show()

# %% [markdown]
# The first and the third keep spinning. The middle one does not: again and again it turns over, quickly, and $\omega_y$
# changes its sign in the racket's axes. In space the angular momentum has not changed at all: it is the racket that has
# turned upside down around it. The laws first, and then an answer in closed form.

# %%
energy = body_kinetic_energy(racket, v_path)
np.testing.assert_allclose(energy, np.broadcast_to(energy[0], energy.shape), rtol=1e-8)

placements = np.zeros((*R_path.shape[:-2], 4, 4))
placements[..., :3, :3], placements[..., :3, 3], placements[..., 3, 3] = R_path, p_path, 1.0
to_world = np.linalg.inv(transform_from_placement(placements))
h_world = transform_force(to_world, body_momentum(racket, v_path))  # all six numbers of it
np.testing.assert_allclose(h_world, np.broadcast_to(h_world[0], h_world.shape), atol=1e-8)
print("momentum in the world, at the start:", h_world[0, 1].round(6) + 0.0)
print("and after five seconds:             ", h_world[-1, 1].round(6) + 0.0)

# Closed form, by Jacobi's elliptic functions (Landau and Lifshitz, Mechanics, section 37), for h^2 > 2 T I_y:
A, B, C = np.diag(J)
w0 = starts[1]
T2, h2 = np.diag(J) @ w0**2, np.diag(J) ** 2 @ w0**2  # twice the energy, and the square of the angular momentum
fast = np.sqrt((C - B) * (h2 - T2 * A) / (A * B * C))
modulus = (B - A) * (T2 * C - h2) / ((C - B) * (h2 - T2 * A))
sn, cn, dn, _ = ellipj(ellipk(modulus) + fast * time, modulus)
exact = np.column_stack(
    [
        np.sqrt((T2 * C - h2) / (A * (C - A))) * cn,
        np.sqrt((T2 * C - h2) / (B * (C - B))) * sn,
        np.sqrt((h2 - T2 * A) / (C * (C - A))) * dn,
    ]
)
np.testing.assert_allclose(v_path[:, 1, :3], exact, atol=1e-5)
print(f"it turns over every {2 * ellipk(modulus) / fast:.3f} s")

# %% [markdown]
# Why the middle axis? Put $\omega = (\epsilon_x, \Omega, \epsilon_z)$ into Euler's equations with moments $A < B < C$:
#
# $$ A \dot \epsilon_x = (B - C)\, \Omega\, \epsilon_z, \quad C \dot \epsilon_z = (A - B)\, \Omega\, \epsilon_x
#    \quad\Rightarrow\quad \ddot\epsilon_x = \frac{(C - B)(B - A)}{A C}\, \Omega^2\, \epsilon_x. $$
#
# The factor is positive, so that $\epsilon$ grows as $e^{\sigma t}$. For the other two axes one of the differences
# changes its sign, and $\epsilon$ swings. There is also a picture: in the racket's axes the angular momentum $h$ stays
# on a sphere, $|h|$ constant, and on the ellipsoid of constant energy; it runs along the curves where they cross.

# %%
growth = speed * np.sqrt((C - B) * (B - A) / (A * C))
start = np.array([0.0, speed, 1e-5])  # a very small nudge
t, path, _, _ = fly(racket, np.concatenate([start, np.cross(center, start)]), 1.0, 4e-3)
late = t > 0.5
slope = np.polyfit(t[late], np.log(np.abs(path[late, 0])), 1)[0]
np.testing.assert_allclose(slope, growth, rtol=1e-3)
print(
    f"sigma = {growth:.3f} 1/s, in the simulation {slope:.3f} 1/s: what is small doubles in {np.log(2) / growth:.3f} s"
)

book = np.diag(shapes.box(1.0, [0.30, 0.20, 0.06]))[:3]  # a book: its moments are further apart, its loops rounder
directions = [[sign, part, 0] for sign in (1, -1) for part in (0.3, 0.7)]
directions += [[0, part, sign] for sign in (1, -1) for part in (0.3, 0.8)]
directions += [[side * 0.02, sign, 0.01] for sign in (1, -1) for side in (1, -1)]
directions = np.array(directions) / np.linalg.norm(directions, axis=1)[:, None]
spins = 0.03 * directions / book  # all with the same angular momentum, 0.03 kg m^2/s
spins_and_sliding = np.concatenate([spins, 0 * spins], axis=1)
_, curves, _, _ = fly(np.diag([*book, 1, 1, 1]), spins_and_sliding, 4.0, 5e-3)
curves = curves[..., :3] * book / 0.03  # directions of the angular momentum, in the axes of the book

ax = space(size=0.98, view=(25, 40))
ax.set_axis_off()
u, s = np.meshgrid(np.linspace(0, 2 * np.pi, 40), np.linspace(0, np.pi, 20))
ax.plot_surface(np.cos(u) * np.sin(s), np.sin(u) * np.sin(s), np.cos(s), color="0.93", alpha=0.4, linewidth=0)
elevation, azimuth = np.radians([25, 40])
viewer = np.array([np.cos(elevation) * np.cos(azimuth), np.cos(elevation) * np.sin(azimuth), np.sin(elevation)])
for n, color in enumerate([RED] * 4 + [BLUE] * 4 + [GREEN] * 4):
    front = np.where((curves[:, n] @ viewer > 0)[:, None], curves[:, n], np.nan)
    ax.plot(*front.T, color=color, lw=1.7)
for axis, name in zip(np.eye(3), ("x\nsmallest", "y\nmiddle", "z, largest moment"), strict=True):
    ax.plot(*np.outer(axis, [1.0, 1.3]), color=BLACK, lw=1.4)
    ax.text(*(1.5 * axis), name, ha="center", va="center")
plt.show()

# %% [markdown]
# (The drawing is for a book, whose moments are further apart than the racket's.) Around the axes of the smallest moment
# (red) and of the largest (blue) the curves are small closed loops: what starts nearby stays nearby. Near the middle
# axis (green) they lead to the opposite side, and back.
#
# Now the throw. The racket turns head over grip; the two sides of its face have different colours, and the handle is
# grey. Watch the side that faces you each time the head points to the right.

# %%
camera = exp3([-0.5, 0, 0]) @ exp3(
    [0, 0.3, 0]
)  # from world axes to those of the picture: right, up, towards the viewer
outline = np.column_stack([0.52 + 0.17 * np.cos(turn), 0.13 * np.sin(turn), 0 * turn])
handle = np.array([[0.0, 0, 0], [0.35, 0, 0]])
figure, ax = plt.subplots(figsize=(4.2, 4.2))
figure.subplots_adjust(left=0.02, right=0.98, bottom=0.02, top=0.98)
per_turn = 2 * np.pi / speed


def draw(n):
    ax.clear()
    index = 10 * n  # every 40 ms
    R, p = R_path[index, 1], p_path[index, 1] - center

    def show(points):
        return ((points @ R.T + p) @ camera.T)[:, :2]

    towards = (camera @ R[:, 2])[2] > 0
    ax.plot(*show(handle).T, color=GREY, lw=7, solid_capstyle="round", zorder=1)
    ax.fill(*show(outline).T, facecolor=SKY if towards else ORANGE, edgecolor=BLACK, lw=2.5, zorder=2)
    ax.text(-0.4, 0.36, f"{time[index]:.2f} s", fontsize=12)
    ax.set(xlim=(-0.42, 0.42), ylim=(-0.42, 0.42), aspect="equal")
    ax.axis("off")


moving(figure, draw, 60, fps=15, dpi=65)

# %% [markdown]
# How far has the face turned over when the handle points back to you after one whole turn? That depends on the nudge; a
# hand is not better than some tenths of a radian per second. The number in brackets is the height of the face's unit
# normal: $+1$ if the marked side is straight up, $-1$ if it is straight down.

# %%
print("nudge in rad/s   w_y changes sign after   after one turn the marked side is")
for nudge in (0.01, 0.05, 0.15, 0.4, 1.0):
    start = np.array([0.0, speed, nudge])
    t, path, R_flight, _ = fly(racket, np.concatenate([start, np.cross(center, start)]), 1.2, 4e-3)
    flip = t[np.argmax(path[:, 1] < 0)]
    turned = np.argmax(np.where((t > 0.5) & (t < 1.2), R_flight[:, 0, 0], -1))  # the handle points along x again
    up = R_flight[turned, 2, 2]  # the height of the unit normal of the face
    print(f"{nudge:8}         {flip / per_turn:6.2f} turns             {'up' if up > 0 else 'DOWN'} ({up:+.2f})")

# %% [markdown]
# So to question 1: after a fair throw you catch the racket with the marked side **down**. Only a hand that errs by less
# than about 0.1 rad/s in 8 still sees it on top, and at 0.01 rad/s the face is nearly level. To question 2: two axes
# are stable, the middle one is not. And no torque was needed: $h$ is constant, but $\omega = I^{-1} h$ is not, because
# $I$ turns with the racket.
#
# %% [markdown]
# ## Two bodies push each other
#
# Bodies A and B are at rest. A pushes B with $f$, so B pushes A with $-f$. Which inertia relates $f$ to the *relative*
# acceleration (exercise 48.A3)? $a_B = I_B^{-1} f$, $a_A = - I_A^{-1} f$, so
#
# $$ a_B - a_A = (I_A^{-1} + I_B^{-1})\, f, \qquad I_{rel} = (I_A^{-1} + I_B^{-1})^{-1}. $$
#
# Inertias of joined bodies add up, those of bodies that push one another add up as inverses: like resistors in series
# and in parallel. The result is symmetric, but no rigid body's inertia: it has up to 21 numbers. For two balls that
# push each other along the line through their centres, it has to be the reduced mass $m_A m_B / (m_A + m_B)$.

# %%
ball_A = transform_inertia(
    pluecker_transform(np.eye(3), [0.5, 0, 0]), shapes.sphere(2.0, 0.5)
)  # centre at (-0.5, 0, 0)
ball_B = transform_inertia(
    pluecker_transform(np.eye(3), [-0.3, 0, 0]), shapes.sphere(5.0, 0.3)
)  # centre at (0.3, 0, 0)
I_rel = relative_inertia(ball_A, ball_B)
f = np.array([0, 0, 0, 10.0, 0, 0])  # N, along x
a_rel = inverse_inertia(ball_B) @ f - inverse_inertia(ball_A) @ (-f)
close(I_rel @ a_rel, f)
print("relative acceleration:", a_rel.round(6), "   reduced mass:", 10.0 / a_rel[3], "kg")
close(10.0 / a_rel[3], 2.0 * 5.0 / (2.0 + 5.0))

sideways = np.array([0, 0, 0, 0, 10.0, 0])  # a push that also turns both
a_side = inverse_inertia(I_rel) @ sideways
print("pushed sideways, they also turn:", a_side.round(3), " felt as", (10.0 / a_side[4]).round(4), "kg")
close(10.0 / a_side[4], 1 / (1 / 2 + 0.5**2 / (0.4 * 2 * 0.5**2) + 1 / 5 + 0.3**2 / (0.4 * 5 * 0.3**2)))

# %% [markdown]
# **Exercise 4.4.** The relative inertia of two bodies.


# %%
def inertia_between(I_A, I_B):
    """The (6, 6) matrix with f = I_rel (a_B - a_A)."""
    ...  # yours


check_exercise(inertia_between, chapter_04.inertia_between)

# %% [markdown]
# ## Remember
#
# - $h = I v$, energy $\frac12 v \cdot I v$; ten numbers, of which $m$, $m c$ and the inertia about one common point add up.
# - A change of frame is a congruence, $X^* I X^{-1}$. Eigenvalues of the 6 x 6 matrix mean nothing.
# - $f = I a + v \times^* I v$, in any frame. At the centre of mass it is Newton's and Euler's equation.
# - Joined: $I_A + I_B$. Pushing one another: $(I_A^{-1} + I_B^{-1})^{-1}$.
#
# Next, notebook 5: bodies that may move only in some directions.
#
# References: R. Featherstone, *Rigid Body Dynamics Algorithms*, Springer 2008, sections 2.12 to 2.15; his course on
# spatial vectors, part 4; L. D. Landau and E. M. Lifshitz, *Mechanics*, section 37 (the free body); M. S. Ashbaugh, C.
# C. Chicone, R. H. Cushman, "The twisting tennis racket", *Journal of Dynamics and Differential Equations* 3 (1991).
# Sections 44 to 48 of source document 001, see `docs/sources.md`.
