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
# # 10. Maximal coordinates: joints as rows, and loops
#
# **The claim.** A joint can be a coordinate or a few rows of a matrix. The motion does not care. What differs is what you
# pay, what drifts, and what you are told: with rows, the forces in the joints come out, and a loop is no special case.
#
# You need: spatial vectors (notebooks 1 to 4), constrained motion (5), the inertia matrix (7), RedMax (9).
#
# Notebook 9 showed both kinds of coordinates for a chain. Here the chain is closed. A four-bar linkage has a crank, a
# coupler and a rocker, and four pins. Three of the pins make a tree; the fourth one closes the loop, and no choice of a
# tree makes it go away.
#
# ## A question first
#
# 1. In the plane, three free bodies have nine coordinates, and each pin takes two of them away. How many freedoms are
#    left? And in space, where each hinge takes away five of six?
# 2. All rows of a pin say what its *acceleration* has to be: none. You integrate these accelerations, with steps of
#    10 ms. After five seconds, are the bodies still pinned to each other?
# 3. A book says: to make a constraint soft, put $\lambda = -k J v$ in the place of $J v = 0$; then the bodies hang on a
#    spring. You pull them apart by a millimetre and let go. What do they do?
#
# Write your three answers down. They are taken up again below.

# %%
import matplotlib.pyplot as plt
import numpy as np

from exercises import chapter_10
from figures import BLUE, GREEN, GREY, ORANGE, RED, use_style
from pluecker.articulated import ModelBuilder
from pluecker.contact import World, constraints
from pluecker.teaching import check_exercise

use_style()
rng = np.random.default_rng(10)

# %% [markdown]
# ## Naive: three free bodies and four pins, in the plane
#
# Each body is a rod of mass $m$ and length $L$, and has the coordinates $(x, y, \theta)$ of its middle. So the mass matrix
# $M$ is diagonal and never changes. A pin holds a point of one body on a point of another, or on a point of the world:
#
# $$ \varphi = p_i - p_j = 0, \qquad p = c + R(\theta)\, l, \qquad \dot p = \dot c + \dot\theta\, R'(\theta)\, l ,
#    \qquad \ddot p = \ddot c + \ddot\theta\, R' l - \dot\theta^2 R\, l . $$
#
# The middle equation has the rows of $J$ in it, the last one what is left when nothing accelerates, $\dot J v$.

# %%
LENGTHS = np.array([1.0, 2.0, 1.5])  # crank, coupler, rocker; m
MASSES = 1.0 * LENGTHS  # 1 kg for each metre
GROUND = np.array([2.0, 0.0])  # where the rocker stands; the crank stands in the origin
M = np.diag(np.column_stack([MASSES, MASSES, MASSES * LENGTHS**2 / 12.0]).ravel())
GRAVITY = np.column_stack([np.zeros(3), -9.81 * MASSES, np.zeros(3)]).ravel()
ENDS = [(-0.5 * length, 0.5 * length) for length in LENGTHS]
# each pin: body and place along it, and what it is pinned to: a point of the world, or a body and a place along that
PINS = [
    ((0, ENDS[0][0]), np.zeros(2)),
    ((1, ENDS[1][0]), (0, ENDS[0][1])),
    ((2, ENDS[2][0]), GROUND),
    ((1, ENDS[1][1]), (2, ENDS[2][1])),
]


def point(s, v, end):
    """A point of a body: where it is, its rows of J, and its acceleration without any of the coordinates'."""
    body, along = end
    x, y, angle = s[3 * body : 3 * body + 3]
    arm = along * np.array([np.cos(angle), np.sin(angle)])
    J = np.zeros((2, 9))
    J[:, 3 * body : 3 * body + 2] = np.eye(2)
    J[:, 3 * body + 2] = -arm[1], arm[0]
    return np.array([x, y]) + arm, J, -(v[3 * body + 2] ** 2) * arm


def pin_rows(s, v):
    """phi, J and Jdot v of all pins."""
    phi, J, bias = [], [], []
    for first, second in PINS:
        p, Jp, bp = point(s, v, first)
        if isinstance(second, tuple):
            q, Jq, bq = point(s, v, second)
            p, Jp, bp = p - q, Jp - Jq, bp - bq
        else:
            p = p - second
        phi.append(p), J.append(Jp), bias.append(bp)
    return np.concatenate(phi), np.vstack(J), np.concatenate(bias)


def assembled(crank, guess=(0.3, 1.2)):
    """Nine coordinates for an angle of the crank: Newton's method for the other two angles."""
    angles = np.array([crank, *guess])
    for _ in range(30):
        u = np.column_stack([np.cos(angles), np.sin(angles)])
        gap = LENGTHS[0] * u[0] + LENGTHS[1] * u[1] - GROUND - LENGTHS[2] * u[2]
        turned = np.column_stack([-u[:, 1], u[:, 0]])
        angles[1:] -= np.linalg.solve(np.column_stack([LENGTHS[1] * turned[1], -LENGTHS[2] * turned[2]]), gap)
    starts = np.array([[0.0, 0.0], LENGTHS[0] * u[0], GROUND])
    middles = starts + 0.5 * LENGTHS[:, None] * u
    return np.column_stack([middles, angles]).ravel()


s0 = assembled(np.pi / 3)
phi, J, bias = pin_rows(s0, np.zeros(9))
print(
    f"{J.shape[0]} rows of rank {np.linalg.matrix_rank(J)} for {J.shape[1]} velocities; largest gap {abs(phi).max():.1e} m"
)

# %% [markdown]
# Eight rows, nine velocities: one freedom. In space it would be $3 \cdot 6 - 4 \cdot 5 = -2$, and yet the linkage moves
# there as well: three of the twenty rows say again what others have said. Keep that in mind for the end.
#
# The rows are gradients: that is checked by differences before they are trusted.

# %%
step = 1e-6
v = rng.standard_normal(9)
ahead, behind = pin_rows(s0 + step * v, v), pin_rows(s0 - step * v, v)
np.testing.assert_allclose((ahead[0] - behind[0]) / (2 * step), J @ v, atol=1e-8)
np.testing.assert_allclose((ahead[1] - behind[1]) @ v / (2 * step), pin_rows(s0, v)[2], atol=1e-8)

# %% [markdown]
# ## Two routes to the forces
#
# The forces in the pins act along the rows, $J^T \lambda$, and do no work. Newton's and Euler's equations and the rows
# together are one symmetric system (Karush, Kuhn and Tucker's; equation 12 of source document 002):
#
# $$ \begin{pmatrix} M & -J^T \\ -J & 0 \end{pmatrix} \begin{pmatrix} a \\ \lambda \end{pmatrix}
#    = \begin{pmatrix} f \\ \dot J v \end{pmatrix} . $$
#
# The other route takes $a = M^{-1}(f + J^T\lambda)$ out of the first line and puts it into the second:
# $J M^{-1} J^T \lambda = -J M^{-1} f - \dot J v$. The matrix is small, one row for each row of a constraint.


# %%
def by_kkt(s, v, f=GRAVITY):
    """Accelerations and multipliers from the whole system."""
    _, J, bias = pin_rows(s, v)
    K = np.block([[M, -J.T], [-J, np.zeros((len(J), len(J)))]])
    x = np.linalg.solve(K, np.concatenate([f, bias]))
    return x[:9], x[9:]


def by_mobility(s, v, f=GRAVITY):
    """Return the accelerations and the multipliers by J M^-1 J'."""
    _, J, bias = pin_rows(s, v)
    inverse = np.diag(1.0 / np.diag(M))
    multipliers = np.linalg.solve(J @ inverse @ J.T, -J @ inverse @ f - bias)
    return inverse @ (f + J.T @ multipliers), multipliers


_, _, right = np.linalg.svd(J)
v0 = 2.0 * right[-1] / right[-1][2]  # the one motion that the pins allow, 2 rad/s of the crank
a_kkt, forces = by_kkt(s0, v0)
np.testing.assert_allclose(by_mobility(s0, v0)[0], a_kkt, atol=1e-9)
np.testing.assert_allclose(by_mobility(s0, v0)[1], forces, atol=1e-9)
print(f"power of the pins: {forces @ J @ v0:.1e} W")

# %% [markdown]
# ## The same thing as a minimum
#
# A step $M (v^+ - v) = h f + J^T \lambda$ with $J v^+ = 0$ is the answer to another question as well: of all velocities
# that the pins allow, which one is nearest to $v + h M^{-1} f$, near being measured by the kinetic energy of the
# difference (equations 10 and 11 of source document 002; Gauss's principle of least constraint for $h \to 0$)? No force
# of a pin occurs in that question; $\lambda$ is what it costs. Take any other velocity that is allowed:


# %%
def cost(s, v, w, h):
    """1/2 (w - v - h M^-1 f)' M (w - v - h M^-1 f)"""
    d = w - v - h * GRAVITY / np.diag(M)
    return 0.5 * d @ M @ d


h = 0.01
_, J, _ = pin_rows(s0, v0)
K = np.block([[M, -J.T], [-J, np.zeros((8, 8))]])
v1 = np.linalg.solve(K, np.concatenate([M @ v0 + h * GRAVITY, np.zeros(8)]))[:9]
others = [v1 + x * right[-1] for x in rng.standard_normal(200)]
assert all(cost(s0, v0, w, h) > cost(s0, v0, v1, h) for w in others)

# %% [markdown]
# ## The library: reduced with a loop, and maximal
#
# In the library, the crank carries the coupler, the rocker stands by itself: three coordinates. A constraint between
# frames closes the loop. `World` takes the model and its constraints; `maximal()` makes the other world out of it, in
# which each body is free and each joint a constraint. A tilted plane, or joints that are not hinges, would change nothing:
# `constraints` has balls, sliders, universal joints, the wheel on two axes (`Hinge2`), screws, fixed joints, and gears.

# %%
builder = ModelBuilder()
for name, parent, place, length in (
    ("crank", "world", (0.0, 0.0, 0.0), LENGTHS[0]),
    ("coupler", "crank", (LENGTHS[0], 0.0, 0.0), LENGTHS[1]),
    ("rocker", "world", (*GROUND, 0.0), LENGTHS[2]),
):
    turn = length * length**2 / 12.0
    builder.add_body(name, mass=length, center_of_mass=(length / 2, 0, 0), inertia=(0.001, turn, turn))
    builder.add_joint(name, "revolute", parent=parent, child=name, axis=(0, 0, 1), position=place)
linkage = builder.build().replace(gravity=(0.0, -9.81, 0.0))
pin = constraints.PointOnLine("pin", ("rocker", (LENGTHS[2], 0, 0)), ("coupler", (LENGTHS[1], 0, 0)))
world = World(linkage, [pin])
twin = world.maximal()
print(world, twin.world, sep="\n")

angles = s0[2::3]
q = world.close([angles[0], angles[1] - angles[0], angles[2]]).configuration
qd = world.impact(q, [2.0, 0.0, 0.0]).velocity
qd *= 2.0 / qd[0]
reduced = world.accelerations(q, qd, np.zeros(3))
q_max, v_max = twin.state(q, qd)
maximal = twin.world.accelerations(q_max, v_max, np.zeros(18))

np.testing.assert_allclose(np.cumsum(reduced.acceleration[:2]), a_kkt[[2, 5]], rtol=1e-9)
np.testing.assert_allclose(reduced.acceleration[2], a_kkt[8], rtol=1e-9)
np.testing.assert_allclose(maximal.acceleration, twin.acceleration(q, qd, reduced.acceleration), rtol=1e-8, atol=1e-8)

# %% [markdown]
# One motion, three programs. And the force in the pin at the end of the coupler? The reduced world has that pin alone as
# rows, the maximal one has all of them. `world["pin"].wrench` gives it in the frame that one asks for; here in that of the
# world, which is where the naive multipliers live.

# %%
E = np.array([[np.cos(angles[1]), -np.sin(angles[1])], [np.sin(angles[1]), np.cos(angles[1])]])
in_reduced = E @ world["pin"].wrench(q, reduced)[3:5]
in_maximal = E @ twin.world["pin"].wrench(q_max, maximal)[3:5]
print("the pin pushes the coupler with", in_reduced.round(4), in_maximal.round(4), forces[6:].round(4), "N")
np.testing.assert_allclose(in_reduced, forces[6:], rtol=1e-8)
np.testing.assert_allclose(in_maximal, forces[6:], rtol=1e-8)


# %% [markdown]
# ## Drift, and its cures
#
# The second question. The pins have accelerations of zero, not places. What rounding and the finite step leave is
# integrated twice. Three remedies:
#
# - *Baumgarte*: ask for $J v^+ = -\beta \varphi / h$, so that each step takes back a share of the gap. It is a spring that
#   was not in the problem.
# - *Projection*: after the step, move the bodies by the smallest displacement, in the metric of $M$, that closes the gap.
# - *Mean rates*: ask that the gap be closed at the end of the step, $\varphi(s + h v^+) = 0$, instead of $J v^+ = 0$. That
#   is what `World.step` does.


# %%
def fall(cure, duration=5.0, h=0.01, beta=0.2):
    """Steps of the naive linkage: the largest gap after each."""
    s, v, gaps = s0.copy(), v0.copy(), []
    inverse = np.diag(1.0 / np.diag(M))
    for _ in range(round(duration / h)):
        phi, J, _ = pin_rows(s, v)
        if cure == "accelerations":
            v = v + h * by_kkt(s, v)[0]
        else:
            target = -beta / h * phi if cure == "Baumgarte" else np.zeros(len(phi))
            free = v + h * inverse @ GRAVITY
            v = free + inverse @ J.T @ np.linalg.solve(J @ inverse @ J.T, target - J @ free)
        s = s + h * v
        if cure == "projection":
            for _ in range(2):
                phi, J, _ = pin_rows(s, v)
                s = s - inverse @ J.T @ np.linalg.solve(J @ inverse @ J.T, phi)
        gaps.append(abs(pin_rows(s, v)[0]).max())
    return np.array(gaps)


times = 0.01 * np.arange(1, 501)
gaps = {cure: fall(cure) for cure in ("accelerations", "velocities", "Baumgarte", "projection")}
motion = twin.world.simulate(q_max, v_max, duration=5.0, step=0.01)
gaps["World.simulate"] = abs(twin.world.rows_at(motion.q).error).max(axis=-1)[1:]
for (cure, gap), color in zip(gaps.items(), (RED, ORANGE, BLUE, GREEN, GREY), strict=True):
    plt.semilogy(times, np.maximum(gap, 1e-17), color=color, label=cure)
plt.xlabel("t / s")
plt.ylabel("largest gap / m")
plt.title("Pins of a four-bar, steps of 10 ms")
plt.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
plt.show()
assert gaps["accelerations"][-1] > gaps["Baumgarte"][-1] > gaps["projection"][-1]
assert gaps["World.simulate"].max() < 1e-10

# %% [markdown]
# Accelerations alone lose the pins within a second or two; rows on velocities drift more slowly; Baumgarte's term keeps a
# gap that depends on $\beta$ and $h$. The other two are at rounding.
#
# ## Soft constraints: a damper, and a spring
#
# The third question. Equation 13 of source document 002 replaces $J v = 0$ by $\lambda = -k J v$, and puts $-1/k$ in the
# corner of the system (14), with the words that the bodies then hang on a spring. The force depends on the velocity
# only: that is a **damper**. Pulled apart by a millimetre, the bodies stay apart. For a spring the gap itself has to
# come in. With both at the end of the step, $\lambda = -(k (\varphi + h u) + d u)$ with $u = J v^+$, a step solves
#
# $$ J v^+ + \frac{1}{h k + d}\, \lambda = - \frac{k}{h k + d}\, \varphi . $$
#
# ODE writes the same with its *error reduction parameter* and *constraint force mixing*:
# $J v^+ + \mathrm{CFM}\, \lambda = -\frac{\mathrm{ERP}}{h} \varphi$, with $\mathrm{ERP} = h k / (h k + d)$ and
# $\mathrm{CFM} = 1 / (h k + d)$. `constraints.erp_cfm` and `constraints.spring_damper` go both ways.


# %%
def released(k, d, h=0.001, m=1.0, steps=2000):
    """A mass on a line, 1 mm away from where a soft row holds it."""
    x, v, path = 1e-3, 0.0, []
    for _ in range(steps):
        corner, share = 1.0 / (h * k + d), k / (h * k + d)
        force = -(v + share * x) / (h / m + corner)
        v += h * force / m
        x += h * v
        path.append(x)
    return np.array(path)


hung = ModelBuilder()
hung.add_body("mass", mass=1.0)
hung.add_joint("slide", "prismatic", parent="world", child="mass", axis=(1, 0, 0))
soft = World(hung.build(), [constraints.Servo("spring", of="slide", target=0.0, stiffness=200.0, damping=2.0)])
spring = soft.simulate([1e-3], [0.0], duration=2.0, step=0.001).q[1:, 0]
np.testing.assert_allclose(spring, released(200.0, 2.0), atol=1e-11)
np.testing.assert_allclose(constraints.erp_cfm(200.0, 2.0, 0.001), (0.2 / 2.2, 1.0 / 2.2))

seconds = 0.001 * np.arange(1, 2001)
plt.plot(seconds, 1e3 * released(0.0, 200.0), color=RED, label=r"$\lambda = -k J v$: a damper")
plt.plot(seconds, 1e3 * spring, color=BLUE, label="spring and damper")
plt.xlabel("t / s")
plt.ylabel("gap / mm")
plt.title("A mass that is released 1 mm away")
plt.legend()
plt.show()
assert released(0.0, 200.0)[-1] == 1e-3

# %% [markdown]
# ## Both ways in time
#
# At one instant the two worlds agree to rounding. Their steps do not: semi-implicit Euler makes an error of first order,
# and another one in each kind of coordinates. Both come to the same motion as the step falls. Halve the step, and the
# distance between the two is halved.

# %%
distances = []
for step in (0.004, 0.002, 0.001):
    one = world.simulate(q, qd, duration=0.5, step=step)
    other = twin.world.simulate(q_max, v_max, duration=0.5, step=step)
    back, _ = twin.back(other.q[-1], other.v[-1])
    distances.append(abs(one.q[-1] - back).max())
print("distance after 0.5 s:", [f"{d:.2e}" for d in distances], "rad")
ratios = np.array(distances[:-1]) / np.array(distances[1:])
np.testing.assert_allclose(ratios, 2.0, atol=0.2)

# %% [markdown]
# ## Do it wrong: a door on three hinges
#
# Two hinges hold a door, three hold it too. But the rows of the third one say what the others have said, and $J M^{-1} J^T$
# is singular. Gauss's elimination meets a zero, and stops; or it meets rounding in the place of a zero, and divides by it.

# %%
panel = ModelBuilder()
panel.add_body("door", mass=30.0, inertia=(10.0, 12.0, 2.0))
panel.add_joint("free", "free", parent="world", child="door")
heights = (-0.9, 0.0, 0.9)
door = World(
    panel.build(),
    [constraints.Hinge(f"hinge {z}", ("world", (0, 0, z)), ("door", (-0.4, 0, z))) for z in heights],
)
at_rest = [0.4, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]
rows = door.rows_at(at_rest)
inverse = np.diag(1.0 / np.array([10.0, 12.0, 2.0, 30.0, 30.0, 30.0]))
singular = rows.jacobian @ inverse @ rows.jacobian.T
weight = np.array([0.0, 0.0, 0.0, 0.0, 0.0, -30.0 * 9.81])
try:
    wrong = np.linalg.solve(singular, -rows.jacobian @ inverse @ weight)
except np.linalg.LinAlgError:
    wrong = np.full(15, np.nan)
found = door.accelerations(at_rest, np.zeros(6), np.zeros(6))
print(f"rank {np.linalg.matrix_rank(singular)} of 15; elimination says {np.abs(wrong).max():.1e} N")
print("the library:", [f"{door[name].wrench(at_rest, found)[5]:.3f}" for name in door], "N on each hinge")
np.testing.assert_allclose(found.acceleration, 0.0, atol=1e-10)
np.testing.assert_allclose([door[name].wrench(at_rest, found)[5] for name in door], 30.0 * 9.81 / 3, rtol=1e-5)
assert not np.allclose(wrong, found.forces, rtol=1e-3)

# %% [markdown]
# The motion is determined: the door hangs still. How the hinges share the weight is not; rigid bodies do not know. Of all
# answers the library takes that of least norm, with equal hinges an equal share, and `World.determined` says which rows
# this concerns:

# %%
print(door.determined(np.array(at_rest)).constraints)

# %% [markdown]
# ## Exercises
#
# **10.1** Gruebler's count, in the plane: `bodies` moving bodies, and for each joint the number of freedoms that it
# leaves (a pin 1, a slider 1, a pin in a slot 2). How many freedoms has the mechanism, if no row is redundant?


# %%
def freedoms(bodies, joints):
    """A whole number."""
    ...  # yours


check_exercise(freedoms, chapter_10.freedoms)

# %% [markdown]
# **10.2** The multipliers of rows that hold: the mass matrix `M`, the Jacobian `J` of full rank, forces `f` and
# `bias` $= \dot J v$. Return $\lambda$, with $M a = f + J^T \lambda$ and $J a + \dot J v = 0$.


# %%
def multipliers(M, J, f, bias):
    """One number for each row."""
    ...  # yours


check_exercise(multipliers, chapter_10.multipliers)

# %% [markdown]
# **10.3** One step of a mass `m` on a soft row with stiffness `k` and damping `d`, both taken at the end of the step `h`,
# without other forces: from the gap `x` and velocity `v` to those at the end.


# %%
def soft_step(m, k, d, h, x, v):
    """The gap and the velocity at the end of the step."""
    ...  # yours


check_exercise(soft_step, chapter_10.soft_step)

# %% [markdown]
# ## To remember
#
# - A constraint is rows: $\varphi$, its gradient $J$, and $\dot J v$. Its force is $J^T \lambda$, opposite and equal on the
#   two bodies.
# - KKT and $J M^{-1} J^T$ are one system; the second one is singular where rows are redundant. Then the motion is
#   determined, and the forces are not.
# - Accelerations drift; velocities drift; places have to be asked for.
# - $\lambda = -k J v$ is a damper. A spring needs $\varphi$. ERP and CFM are a spring and a damper that know the step.
# - Reduced and maximal: the same accelerations and forces at an instant, the same motion as the step falls.
#
# **Next:** notebook 11, contact and friction: rows that may only push.
#
# **References.** Source document 002, section 3: equations (9) to (14); source document 000, joints and mixing of forces.
# J. Baumgarte, "Stabilization of constraints and integrals of motion in dynamical systems" (1972). R. Smith, *Open
# Dynamics Engine*, user guide. D. Baraff, "Linear-time dynamics using Lagrange multipliers", SIGGRAPH 1996.
# R. Featherstone, *Rigid Body Dynamics Algorithms* (RBDA), chapter 8 and section 3.5. J.-P. Ryckaert, G. Ciccotti,
# H. Berendsen (1977) for rows at the end of a step.
