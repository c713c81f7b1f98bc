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
# # 6. Inverse dynamics of a real arm
#
# **Claim.** The torques that a motion takes come from two passes over the bodies: outwards adding motions, inwards adding
# forces. No matrix is needed, and the cost is a few products for each body.
#
# You need notebooks 1 to 5: the transform $X$ of motions and $X^* = X^{-T}$ of forces, $v \times$ and $v \times^*$, the
# equation of motion $f = I a + v \times^* I v$, and a joint's motion $s \dot q$.
#
# ## Predict
#
# A robot arm has seven joints, a mass of 16 kg, and reaches 0.85 m. The motor of its shoulder gives 87 N m at most.
#
# 1. The arm is stretched out horizontally and holds still. **What share of the 87 N m is used up? And with 3 kg on its
#    flange?**
# 2. All joints turn at their rated speeds, 2 to 2.6 rad/s, and none of them accelerates. **At the shoulder, and at the
#    wrist: is the torque that the speed takes smaller than that of gravity, or larger?**

# %%
from xml.etree import ElementTree

import matplotlib.pyplot as plt
import numpy as np

from exercises import chapter_06
from figures import BLUE, GREY, ORANGE, RED, moving, space, use_style
from pluecker.articulated import (
    Model,
    body_accelerations,
    center_of_mass,
    forward_kinematics,
    joint_forces,
    joint_transform,
    kinetic_energy,
    momentum,
    momentum_rate,
    potential_energy,
    random_configuration,
    rnea,
)
from pluecker.articulated.robots import SEVEN_JOINT_ARM
from pluecker.teaching import check_exercise

use_style()
rng = np.random.default_rng(6)

# %% [markdown]
# ## The problem, and seven equations (course, sections 54 and 55)
#
# $$ \tau = \mathrm{ID}(\text{model}, q, \dot q, \ddot q): $$
#
# given are positions, velocities and wanted accelerations of the joints; the torques are asked for. Body $i$ hangs by
# joint $i$ on body $\lambda(i)$, its parent; $\mu(i)$ are its children; body 0 is the base. Whoever has understood two
# bodies (notebook 5) can write down the answer:
#
# | | | |
# |---|---|---|
# | 1 | $v_0 = 0$ | the base stands still, |
# | 2 | $a_0 = - a_g$ | and is thrown upwards instead of gravity |
# | 3 | $v_i = v_{\lambda(i)} + s_i \dot q_i$ | the joint's velocity comes on top of the parent's |
# | 4 | $a_i = a_{\lambda(i)} + s_i \ddot q_i + v_i \times s_i \dot q_i$ | the derivative of 3 |
# | 5 | $f_{Bi} = I_i a_i + v_i \times^* I_i v_i$ | the force that moves body $i$ |
# | 6 | $f_{Ji} = f_{Bi} + \sum_{j \in \mu(i)} f_{Jj}$ | the force through joint $i$ |
# | 7 | $\tau_i = s_i \cdot f_{Ji}$ | its part that does work |
#
# - **Line 2.** A body that is held still on the ground and one that is accelerated upwards with 9.81 m/s² far from all
#   stars need the same force. So $-a_g$ is in all $a_i$, and line 5 contains what carries the weight of each body,
#   $-I_i a_g$, without asking for it.
# - **Line 4.** The axis $s_i$ is carried by body $i$; so $\dot s_i = v_i \times s_i$. (Or by body $\lambda(i)$, which is the
#   same: $s_i \times s_i = 0$.) There are no other Coriolis terms: spatial accelerations are added like velocities.
# - **Line 6.** The sum of all forces on body $i$ is $f_{Bi} = f_{Ji} - \sum_{j \in \mu(i)} f_{Jj}$: what comes through its
#   own joint, less what it passes on to its children.
#
# As they stand, the equations are about vectors. With numbers, all of them have to be in one frame, or the frames have to be
# changed on the way. Section 55.8 takes the frame of each body, where its inertia and its axis are constant:
#
# $$ {}^i X_{\lambda(i)} = X_J(q_i)\, X_T(i), \qquad
#    v_i = {}^i X_{\lambda(i)}\, v_{\lambda(i)} + s_i \dot q_i, \qquad
#    f_{\lambda(i)} \mathrel{+}= {}^{\lambda(i)} X_i^* f_i = ({}^i X_{\lambda(i)})^T f_i . $$
#
# $X_T$ leads from the parent to where the joint sits, and $X_J$ across the joint.
#
# ## From first principles
#
# The arm is the Franka Emika Panda without its hand; its numbers come with the library, in a URDF file. That is XML, and
# for this arm it is read in a few lines: all joints turn about their own $z$ axis.


# %%
def skew(a):
    """a x"""
    x, y, z = a
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def turn(axis, angle):
    """The rotation matrix about coordinate axis 0, 1 or 2: x, y or z"""
    c, s = np.cos(angle), np.sin(angle)
    return np.roll(np.array([[1.0, 0, 0], [0, c, -s], [0, s, c]]), (axis, axis), (0, 1))


def numbers(node, key):
    """Three numbers of an attribute, zeros if it is not there"""
    return np.array((node.get(key, "0 0 0") if node is not None else "0 0 0").split(), dtype=float)


parent, placed, bodies = [], [], []  # the tree; R and p of each joint on its parent; mass, centre, inertia of each body
root = ElementTree.parse(SEVEN_JOINT_ARM).getroot()
links = {link.get("name"): link.find("inertial") for link in root.iter("link")}
number = {"base": -1}
for joint in root.iter("joint"):
    if joint.get("type") == "revolute":
        name, origin = joint.find("child").get("link"), joint.find("origin")
        number[name] = len(parent)
        parent.append(number[joint.find("parent").get("link")])
        r, p, y = numbers(origin, "rpy")
        placed.append((turn(2, y) @ turn(1, p) @ turn(0, r), numbers(origin, "xyz")))
        J = {key: float(x) for key, x in links[name].find("inertia").items()}
        J = np.array([[J["i" + "".join(sorted(a + b))] for b in "xyz"] for a in "xyz"])
        mass = float(links[name].find("mass").get("value"))
        bodies.append((mass, numbers(links[name].find("origin"), "xyz"), J))
n = len(parent)
print(f"{n} bodies, {sum(m for m, _, _ in bodies):.2f} kg, parents {parent}")

# %% [markdown]
# Now the algorithm: the course's procedure, line by line.


# %%
def transform(R, p):
    """X of motions, to a frame with the axes R and the origin p (notebook 2)"""
    return np.block([[R.T, np.zeros((3, 3))], [-R.T @ skew(p), R.T]])


def spatial(m, c, J):
    """The inertia about the origin of the body's frame (notebook 4)"""
    cx = skew(c)
    return np.block([[J - m * cx @ cx, m * cx], [m * cx.T, m * np.eye(3)]])


def crm(v):
    """v x; and v x* is -(v x)^T (notebook 3)"""
    return np.block([[skew(v[:3]), np.zeros((3, 3))], [skew(v[3:]), skew(v[:3])]])


X_T = [transform(R, p) for R, p in placed]
I = [spatial(*body) for body in bodies]
s = np.array([0.0, 0, 1, 0, 0, 0])  # of each joint, in the frame of its body


def inverse_dynamics(q, qd, qdd, axes_move=True):
    """tau; without v x s qd if asked for, which is wrong"""
    X, v, a, f = [None] * n, [None] * n, [None] * n, [None] * n
    for i in range(n):  # outwards
        X[i] = transform(turn(2, q[i]), np.zeros(3)) @ X_T[i]
        v_parent, a_parent = (v[parent[i]], a[parent[i]]) if parent[i] >= 0 else (np.zeros(6), [0, 0, 0, 0, 0, 9.81])
        v[i] = X[i] @ v_parent + s * qd[i]
        a[i] = X[i] @ a_parent + s * qdd[i] + axes_move * crm(v[i]) @ s * qd[i]
        f[i] = I[i] @ a[i] - crm(v[i]).T @ I[i] @ v[i]
    tau = np.zeros(n)
    for i in reversed(range(n)):  # inwards
        tau[i] = s @ f[i]
        if parent[i] >= 0:
            f[parent[i]] = f[parent[i]] + X[i].T @ f[i]
    return tau


# %% [markdown]
# ## The library
#
# `rnea` is named after the algorithm. It takes one state, or arrays of states. It agrees with our code in a hundred random
# states.

# %%
arm = Model.from_urdf(SEVEN_JOINT_ARM)
print(arm)

q = random_configuration(arm, rng, 100)
qd, qdd = rng.standard_normal((2, 100, n))
tau = rnea(arm, q, qd, qdd)  # a hundred states in one call
np.testing.assert_allclose([inverse_dynamics(*state) for state in zip(q, qd, qdd, strict=True)], tau, atol=1e-11)

X_J, S = joint_transform("revolute", [0.3], axis=[0, 0, 1])  # jcalc of section 55.8, for one joint alone
np.testing.assert_allclose(X_J, transform(turn(2, 0.3), np.zeros(3)), atol=1e-15)
np.testing.assert_allclose(S[:, 0], s)

# %% [markdown]
# ## A check without 6D vectors
#
# Two programs by people who have read the same book may share its errors. So here is d'Alembert's principle, with 3D vectors
# and differences. Let the arm go along $q(t) = q + \dot q t + \ddot q t^2 / 2$, and look at where the centres of mass $c_b$
# are and how the bodies are turned, $R_b$. Newton and Euler say for each body (document 004 writes the same)
#
# $$ F_b = m_b (\ddot c_b - g), \qquad
#    N_b = \frac{d}{dt} (R_b J_b R_b^T \omega_b) = J \dot\omega + \omega \times J \omega, $$
#
# and each joint has the torque
# $\tau_i = \sum_b \frac{\partial c_b}{\partial q_i} \cdot F_b + \frac{\partial \omega_b}{\partial \dot q_i} \cdot N_b$.
# All derivatives are taken numerically, so that nothing but positions enters.


# %%
def places(q):
    """Rotations (n, 3, 3) and centres of mass (n, 3) of the bodies, by turning one after the other"""
    R, p = [None] * n, [None] * n
    for i, (R_T, p_T) in enumerate(placed):
        R_parent, p_parent = (R[parent[i]], p[parent[i]]) if parent[i] >= 0 else (np.eye(3), np.zeros(3))
        R[i], p[i] = R_parent @ R_T @ turn(2, q[i]), p_parent + R_parent @ p_T
    return np.array(R), np.array([x + A @ c for x, A, (_, c, _) in zip(p, R, bodies, strict=True)])


def turned(R_after, R_before):
    """Small rotation vectors (n, 3) from one to the other: the skew part of R_after R_before^T"""
    D = R_after @ R_before.transpose(0, 2, 1)
    return 0.5 * np.stack([D[:, 2, 1] - D[:, 1, 2], D[:, 0, 2] - D[:, 2, 0], D[:, 1, 0] - D[:, 0, 1]], axis=1)


def by_dalembert(q, qd, qdd, h=1e-4):
    """tau from positions at five moments, and from positions next to q"""
    at = {k: places(q + qd * k * h + qdd * (k * h) ** 2 / 2) for k in (-2, -1, 0, 1, 2)}
    mass, J = np.array([m for m, _, _ in bodies]), np.array([J for _, _, J in bodies])

    def spin(k):
        """Angular momenta about the centres of mass at the time k h"""
        R, omega = at[k][0], turned(at[k + 1][0], at[k - 1][0]) / (2 * h)
        return np.einsum("bij,bjk,blk,bl->bi", R, J, R, omega)

    F = mass[:, None] * ((at[1][1] - 2 * at[0][1] + at[-1][1]) / h**2 - [0, 0, -9.81])
    N = (spin(1) - spin(-1)) / (2 * h)
    tau = np.zeros(n)
    for i, e in enumerate(np.eye(n) * h):
        (R1, c1), (R0, c0) = places(q + e), places(q - e)
        tau[i] = np.sum((c1 - c0) * F + turned(R1, R0) * N) / (2 * h)
    return tau


for k in range(3):
    np.testing.assert_allclose(by_dalembert(q[k], qd[k], qdd[k]), tau[k], atol=1e-4)
print("largest difference in N m:", f"{np.abs(by_dalembert(q[0], qd[0], qdd[0]) - tau[0]).max():.0e}")

# %% [markdown]
# ## The first question
#
# The arm stretched out, as far as its elbow lets it.

# %%
stretched = np.array([0.0, np.pi / 2, 0.0, -0.0698, 0.0, np.pi / 2, 0.0])
still = np.zeros(n)
holding = rnea(arm, stretched, still, still)

flange = forward_kinematics(arm, stretched, ["flange"])[0]
weight = np.concatenate([np.cross(flange[:3, 3], [0, 0, -3 * 9.81]), [0, 0, -3 * 9.81]])  # of 3 kg, in world axes
link7 = forward_kinematics(arm, stretched, ["link7"])[0]
on_link7 = np.linalg.inv(transform(link7[:3, :3], link7[:3, 3])).T @ weight  # in the body's axes, about its origin
outside = np.zeros((n, 6))
outside[arm.body_index("link7")] = on_link7
loaded = rnea(arm, stretched, still, still, outside)

alone = I[-1]
I[-1] = alone + spatial(3.0, np.array([0, 0, 0.107]), np.zeros((3, 3)))  # or as a part of body 7: the same
np.testing.assert_allclose(inverse_dynamics(stretched, still, still), loaded, atol=1e-12)
I[-1] = alone

shoulder = 1
limit = arm.effort_limit[shoulder]
for name, torque in (("alone", holding), ("with 3 kg", loaded)):
    print(
        f"{name:10s} {torque[shoulder]:7.2f} N m at the shoulder, {abs(torque[shoulder]) / limit:.0%} of {limit:.0f} N m"
    )


# %%
def skeleton(q):
    """Points (k, 3) of the arm: origins of its bodies, and the flange"""
    points = forward_kinematics(arm, q, [*arm.body_names, "flange"])[:, :3, 3]
    return np.vstack([np.zeros(3), points])


fig, (left, right) = plt.subplots(1, 2, figsize=(7.6, 2.9), gridspec_kw={"width_ratios": [1.2, 1]})
line = skeleton(stretched)
left.plot(line[:, 0], line[:, 2], "-o", color=BLUE, lw=5, ms=7, mfc="white")
for m, (x, _, z) in zip([m for m, _, _ in bodies], places(stretched)[1], strict=True):
    left.plot(x, z, "o", color=ORANGE, ms=3 * m**0.5, zorder=4)
left.annotate("3 kg", (line[-1, 0], line[-1, 2] - 0.15), ha="center", va="top", color=RED)
left.annotate("", (line[-1, 0], line[-1, 2] - 0.15), line[-1, [0, 2]], arrowprops={"arrowstyle": "-|>", "color": RED})
left.set(xlabel="x / m", ylabel="z / m", aspect="equal", xlim=(-0.15, 0.95), ylim=(-0.05, 0.55))
joints = np.arange(1, n + 1)
right.bar(joints - 0.2, np.abs(holding) / arm.effort_limit, 0.4, color=BLUE, label="alone")
right.bar(joints + 0.2, np.abs(loaded) / arm.effort_limit, 0.4, color=RED, label="with 3 kg")
right.set(xlabel="joint", ylabel="torque / limit", ylim=(0, 1), xticks=joints)
right.legend()
fig.tight_layout()
plt.show()

# %% [markdown]
# **The first answer.** 57 % for itself, and 83 % with 3 kg, which is the payload that its maker states. (Orange in the
# drawing are the centres of mass, larger for heavier bodies: 5 kg of the 16 are below the shoulder.)
#
# Line 7 keeps one number of six. The rest is what the bearings carry, and the library gives all of it. In joint 1, whose
# axis is vertical, the torque is zero: the force goes through it all the same.

# %%
f_J = joint_forces(arm, stretched, still, still)
print("through joint 1: moment", f_J[0, :3].round(2), "N m, force", f_J[0, 3:].round(2), "N")
np.testing.assert_allclose(f_J[0, 3:], [0, 0, arm.mass * 9.81], atol=1e-12)
np.testing.assert_allclose(f_J[:, 2], holding, atol=1e-12)  # s . f_J: the couple about z of the body

# %% [markdown]
# And a warning about line 2: the $a_i$ inside the algorithm are not the accelerations of the bodies. They are what an
# accelerometer measures, which shows 9.81 m/s² upwards when it lies on a table. `body_accelerations` leaves gravity out:

# %%
np.testing.assert_array_equal(body_accelerations(arm, stretched, still, still), 0.0)

# %% [markdown]
# ## The second question
#
# Ten thousand random configurations, each joint at its rated speed in one direction or the other. The torque of gravity is
# $\mathrm{ID}(q, 0, 0)$; that of the velocity is $\mathrm{ID}(q, \dot q, 0) - \mathrm{ID}(q, 0, 0)$.

# %%
many = random_configuration(arm, rng, 10_000)
rated = arm.velocity_limit * rng.choice([-1.0, 1.0], many.shape)
gravity = rnea(arm, many, still, still)
velocity = rnea(arm, many, rated, still) - gravity

fig, panels = plt.subplots(1, 2, figsize=(7.2, 3.0), gridspec_kw={"width_ratios": [4, 3]})
for ax, shown in zip(panels, (slice(0, 4), slice(4, 7)), strict=True):
    for offset, torques, color, label in ((-0.17, gravity, BLUE, "gravity"), (0.17, velocity, ORANGE, "velocity")):
        parts = ax.boxplot(
            np.abs(torques[:, shown]),
            positions=joints[shown] + offset,
            widths=0.28,
            whis=(0, 100),
            patch_artist=True,
            manage_ticks=False,
            boxprops={"facecolor": color, "lw": 0.8},
            medianprops={"color": "black"},
        )
        ax.plot([], [], "s", color=color, ms=9, label=label)
    ax.set(xlabel="joint", xticks=joints[shown], ylim=(0, None))
panels[0].set_ylabel("|torque| / N m")
panels[0].legend()
fig.tight_layout()
plt.show()
median_gravity, median_velocity = np.median(np.abs(gravity), axis=0), np.median(np.abs(velocity), axis=0)
print("median of gravity  ", median_gravity.round(2))
print("median of velocity ", median_velocity.round(2))
print("largest of gravity ", np.abs(gravity).max(axis=0).round(2))
print("largest of velocity", np.abs(velocity).max(axis=0).round(2))

# %% [markdown]
# **The second answer.** At the shoulder gravity is larger, four times in the median. From joint 3 on they are comparable,
# and at the wrist (joints 5 to 7) the largest torques of velocity are *above* those of gravity. Boxes hold the middle half
# of the configurations, whiskers reach to the extremes. "The robot is slow, leave out the velocities" is wrong at its rated
# speed.
#
# ### Exercises 6.1 and 6.2
#
# Write both passes yourself, as the seven equations stand: in *one* frame, that of the world, where no $X$ is needed. The
# tree may branch. `parent[i]` is the number of the body that carries body `i`, $-1$ for the base; it is smaller than `i`.


# %%
def accelerations(parent, s, qd, qdd):
    """a (n, 6) of the bodies by lines 1 to 4, gravity 9.81 m/s^2 along -z; axes s (n, 6), rates qd and qdd (n,)."""
    ...  # yours


check_exercise(accelerations, chapter_06.accelerations)


# %%
def joint_torques(parent, s, f_B):
    """tau (n,) by lines 6 and 7 from the forces f_B (n, 6) that move the bodies; axes s (n, 6)."""
    ...  # yours


check_exercise(joint_torques, chapter_06.joint_torques)

# %% [markdown]
# ## Do it wrong: forget that axes move
#
# Without $v_i \times s_i \dot q_i$ the program runs, gives numbers of the right size, and is exact for an arm at rest. What
# shows the error? Power: all that the motors give goes into energy,
#
# $$ \tau \cdot \dot q = \frac{d}{dt} (E_\text{kin} + E_\text{pot}) . $$
#
# The right side by differences along the motion:


# %%
def power_of_energy(q, qd, qdd, h=1e-5):
    def energy(t):
        there = q + qd * t + qdd * t**2 / 2
        return kinetic_energy(arm, there, qd + qdd * t) + potential_energy(arm, there)

    return (energy(h) - energy(-h)) / (2 * h)


print("power in W: of the motors, right   forgetful   of the energy")
for k in range(4):
    speed = 2 * qd[k]
    right = inverse_dynamics(q[k], speed, qdd[k]) @ speed
    wrong = inverse_dynamics(q[k], speed, qdd[k], axes_move=False) @ speed
    rate = power_of_energy(q[k], speed, qdd[k])
    np.testing.assert_allclose(right, rate, rtol=1e-6, atol=1e-6)
    assert abs(wrong - rate) > 0.1
    print(f"{right:32.3f} {wrong:11.3f} {rate:15.3f}")

# %% [markdown]
# The forgetful arm makes energy, or eats it. The test needs nothing but energies, and no second program for the torques.
#
# ## A motion
#
# From one posture to another in 1.2 s, along a polynomial that begins and ends without velocity and acceleration. A
# trajectory is a batch: one call gives all its torques.

# %%
start, goal = np.array([-0.6, 0.9, 0.0, -1.4, 0.0, 2.2, 0.0]), np.array([0.6, -0.1, 0.3, -2.5, 0.2, 2.6, 1.0])
duration, samples = 1.2, 25
t = np.linspace(0.0, 1.0, samples)[:, None]
motion_q = start + (goal - start) * (10 * t**3 - 15 * t**4 + 6 * t**5)
motion_v = (goal - start) * (30 * t**2 - 60 * t**3 + 30 * t**4) / duration
motion_a = (goal - start) * (60 * t - 180 * t**2 + 120 * t**3) / duration**2
torques = rnea(arm, motion_q, motion_v, motion_a)
assert (np.abs(torques) < arm.effort_limit).all()
assert (np.abs(motion_v) < arm.velocity_limit).all()

fig = plt.figure(figsize=(8.0, 3.5))
scene = space(fig.add_subplot(1, 2, 1, projection="3d"), 0.5, (0.15, 0.0, 0.45), view=(18, -70))
scene.locator_params(nbins=3)
scene.tick_params(labelsize=8)
(drawn,) = scene.plot([], [], [], "-o", color=BLUE, lw=4, ms=5, mfc="white")
(trace,) = scene.plot([], [], [], color=ORANGE, lw=1.5)
panel = fig.add_subplot(1, 2, 2)
panel.plot(duration * t, torques[:, :4], label=[f"joint {k}" for k in range(1, 5)])
panel.set(xlabel="time / s", ylabel="torque / N m", xlim=(0, duration))
panel.legend(fontsize=8.5, ncols=2)
cursor = panel.axvline(0.0, color=GREY)
fig.tight_layout(w_pad=3)
lines = [skeleton(x) for x in motion_q]


def draw(k):
    drawn.set_data_3d(*lines[k].T)
    trace.set_data_3d(*np.array([points[-1] for points in lines[: k + 1]]).T)
    cursor.set_xdata([duration * t[k, 0]] * 2)


moving(fig, draw, samples, fps=15)

# %% [markdown]
# At the first and the last moment the arm holds its weight. In between it also accelerates and brakes: the vertical axis of
# joint 1, which gravity does not load at all, shows that alone.
#
# ## Energy and momentum of a robot (section 56, exercise C1)
#
# The course asks for recursive algorithms for (a) the kinetic energy and (b) the momentum of a robot, and hints at this
# chapter's algorithm. Velocities come from the outward pass. Energies are simply added; the momentum $h_i$ of body $i$ *and
# all that it carries* is added on the way inwards, as forces are. (Some prints end with "$T_\text{tot} = T_1$" and
# "$h_\text{tot} = h_1$": true for a robot with one body on the base; otherwise the sum over all bodies on the base.)
#
# ### Exercises 6.3 and 6.4
#
# Everything is again in the frame of the world, and `parent` as above.


# %%
def robot_energy(parent, s, I, qd):
    """Kinetic energy in J; axes s (n, 6), inertias I (n, 6, 6), rates qd (n,)."""
    ...  # yours


check_exercise(robot_energy, chapter_06.robot_energy)


# %%
def robot_momentum(parent, s, I, qd):
    """h (n, 6): row i is the momentum of body i and all that it carries; axes s (n, 6), inertias I (n, 6, 6), qd (n,)."""
    ...  # yours


check_exercise(robot_momentum, chapter_06.robot_momentum)

# %% [markdown]
# The library has both: `kinetic_energy`, which the power balance above has used, and `momentum`, for all bodies or for one
# and what it carries. Its linear part is the mass times the velocity of the centre of mass. And its rate of change is the
# sum of all forces from outside: what comes through joint 1 from the base, and the weight.

# %%
state, h = (q[0], qd[0], qdd[0]), 1e-6
moved = (center_of_mass(arm, q[0] + h * qd[0]) - center_of_mass(arm, q[0] - h * qd[0])) / (2 * h)
np.testing.assert_allclose(momentum(arm, q[0], qd[0])[3:], arm.mass * moved, atol=1e-7)

link1 = forward_kinematics(arm, q[0], ["link1"])[0]
from_base = transform(link1[:3, :3], link1[:3, 3]).T @ joint_forces(arm, *state)[0]  # to world axes, about the origin
center = center_of_mass(arm, q[0])
weight = np.concatenate([np.cross(center, [0, 0, -9.81 * arm.mass]), [0, 0, -9.81 * arm.mass]])
np.testing.assert_allclose(momentum_rate(arm, *state), from_base + weight, atol=1e-10)

subtree = [momentum(arm, q[0], qd[0], name) for name in arm.body_names]  # the rows of exercise 6.4
np.testing.assert_allclose(subtree[0], momentum(arm, q[0], qd[0]), atol=1e-12)

# %% [markdown]
# ## What to remember
#
# - Outwards: $v_i = v_{\lambda(i)} + s_i \dot q_i$, and its derivative. Inwards: add the forces of the children.
# - Gravity is a base that is thrown upwards.
# - $\tau_i = s_i \cdot f_{Ji}$; the other five numbers are for the bearings.
# - Each body is visited twice: the cost is proportional to their number, whatever the tree looks like.
# - Check torques by the power balance, $\tau \cdot \dot q = dE/dt$. It finds a term that is missing.
#
# **Next.** Torques depend on accelerations linearly, $\tau = H(q) \ddot q + C(q, \dot q)$. Notebook 7 finds $H$, and
# notebook 8 turns the question around: torques are given, how does the robot move?
#
# **References.** R. Featherstone, *Rigid Body Dynamics Algorithms* (2008), section 5.3 and table 5.1; J. Luh, M. Walker,
# R. Paul, "On-line computational scheme for mechanical manipulators", *J. Dyn. Sys. Meas. Control* 102 (1980);
# Featherstone's course notes, <http://royfeatherstone.org/spatial/>, on the recursive Newton-Euler algorithm. The arm's
# numbers: see the head of its URDF file. With the extra `peers`, `find_robot("panda")` and other names of example-robot-data
# work in the same way.
# Source documents 001, sections 54 to 56, and 004, item 11 (`docs/sources.md`).
