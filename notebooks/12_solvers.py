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
# # 12. One problem: limits, motors, piles, and a robot that stands
#
# **The claim.** What holds, stops, drives and rubs is one problem: $u = N r + b$, with each block of $r$ in a set of its
# own. The set says what a row is. The method says how long it takes. Whether it is solved, neither of them says: the
# residual does.
#
# You need: joints as rows (notebook 10), contact and friction (11).
#
# ## A question first
#
# 1. A motor that can give 3 N m holds an arm whose weight pulls with 4.9 N m. It does not suffice. How far does the arm
#    fall?
# 2. A pyramid of cannon balls, five hundred contacts. One method visits one contact after the other, each time with the
#    newest values; another one moves all of them at once along a gradient, with momentum. Which is nearer to the solution
#    after ten rounds? After a thousand?
# 3. A robot of 16 kg stands on four feet. How much does each one carry?
#
# Write your answers down.

# %%
import matplotlib.pyplot as plt
import numpy as np

from exercises import chapter_12
from figures import BLACK, BLUE, GREEN, GREY, ORANGE, RED, box_lines, moving, use_style
from pluecker.articulated import ModelBuilder, PDControl, forward_kinematics
from pluecker.contact import (
    Bodies,
    ContactTable,
    Problem,
    Solver,
    World,
    assemble_contacts,
    compare_methods,
    constraints,
    mixed_lcp,
    solve_lcp,
)
from pluecker.contact.geometry import Box, Collider, HalfSpace, Sphere, Surface
from pluecker.spatial import position_rate_matrix, quaternion_exp, quaternion_product
from pluecker.teaching import check_exercise

use_style()
rng = np.random.default_rng(12)
G = 9.81

# %% [markdown]
# ## One problem with bounds
#
# Each row of $J$ is a way in which bodies can move against each other, $u = J v$ its velocity, $r$ its impulse. What the
# row *is*, two bounds say:
#
# | row | lower | upper | so that |
# |---|---|---|---|
# | joint | $-\infty$ | $\infty$ | $u = 0$ |
# | limit, contact without friction | $0$ | $\infty$ | $0 \le r \perp u \ge 0$ |
# | motor for the speed $s$, with a force up to $F$ | $-F h$ | $F h$ | $u = s$, or $r$ at a bound |
# | dry friction | $-F h$ | $F h$ | a motor for the speed 0 |
# | friction at a contact | a disc of radius $\mu r_n$, notebook 11 | | |
#
# One line holds all of them: $r = P(r - u)$, with $P$ the projection on the bounds. Where $r$ is inside, $u$ is zero; at
# the lower bound $u \ge 0$, at the upper one $u \le 0$. And one line solves them, row by row: what makes the velocity of
# the row zero, cut at the bounds. That is *Gauss-Seidel, projected*:


# %%
def by_sweeps(N, b, lower, upper, sweeps):
    """r with r = P(r - (N r + b)), a row at a time."""
    r = np.zeros(len(b))
    for _ in range(sweeps):
        for k in range(len(b)):
            r[k] = np.clip(r[k] - (N[k] @ r + b[k]) / N[k, k], lower[k], upper[k])
    return r


# %% [markdown]
# A cart of 2 kg on a rail has all three: a motor for 1 m/s with 6 N, dry friction of 2 N, and a stop at 0.5 m. Three rows
# on one coordinate. The stop is $C(q) = 0.5 - x \ge 0$, so that its row is $-1$; for what is not there yet, a step may take
# away the whole gap, $u \ge -C / h$.

# %%
mass, top_speed, force, rust, stop_at, h = 2.0, 1.0, 6.0, 2.0, 0.5, 0.01
J = np.array([[1.0], [1.0], [-1.0]])  # motor, friction, stop
lower, upper = h * np.array([-force, -rust, 0.0]), np.array([h * force, h * rust, np.inf])
x, v, naive = 0.0, 0.0, []
for _ in range(120):
    b = J[:, 0] * v + np.array([-top_speed, 0.0, (stop_at - x) / h])
    r = by_sweeps(J @ J.T / mass, b, lower, upper, 200)
    v += float(J[:, 0] @ r) / mass
    x += h * v
    naive.append([x, v, *(r / h)])
naive = np.array(naive)

rail = ModelBuilder("cart")
rail.add_body("cart", mass=mass)
rail.add_joint("rail", "prismatic", "world", "cart", axis=(1, 0, 0))
cart = World(
    rail.build(),
    [
        constraints.Motor("motor", "rail", speed=top_speed, force=force),
        constraints.Friction("rust", "rail", force=rust),
        constraints.Limit("stop", "rail", upper=stop_at),
    ],
)
ride = cart.simulate([0.0], [0.0], 1.2, h)
np.testing.assert_allclose(naive[:, 0], ride.q[1:, 0], atol=1e-8)
np.testing.assert_allclose(naive[:, 1], ride.v[1:, 0], atol=1e-8)

t = ride.time
theory = np.where(t < 0.5, (force - rust) / mass * t**2 / 2.0, np.minimum(0.25 + (t - 0.5) * top_speed, stop_at))
np.testing.assert_allclose(ride.q[:, 0], theory, atol=h)

fig, (above, below) = plt.subplots(2, 1, figsize=(6.4, 4.2), sharex=True, layout="constrained")
above.plot(t, ride.q[:, 0], color=BLUE, label="position / m")
above.plot(t, ride.v[:, 0], color=ORANGE, label="velocity / (m/s)")
for k, (name, color) in enumerate((("motor", GREEN), ("dry friction", GREY), ("stop", RED))):
    below.plot(t[1:], J[k, 0] * naive[:, 2 + k], color=color, label=name)
above.legend()
below.legend(ncols=3)
below.set(xlabel="time / s", ylabel="force on the cart / N")
plt.show()

# %% [markdown]
# The motor gives all it has until the cart is fast enough, and then just what the friction takes: 2 N. At the stop it
# pushes with 6 N again, against friction and stop together. How these two share it, nothing in mechanics says; the sweeps
# have taken the first answer that came. That will happen again with feet.
#
# ### The same as one mixed complementarity problem
#
# With a pyramid in place of the disc, friction has bounds of that kind as well, and everything together, velocities and
# impulses, is one *mixed* linear complementarity problem: some unknowns free, others not negative. Here it is, for a
# point of 2 kg that slides with 3 m/s over a floor.

# %%
M = mass * np.eye(3)
slider = Problem.from_factors(M, np.eye(3), M @ [-1.0, 3.0, 0.0], np.zeros(3), [0.5])
mixed = mixed_lcp(slider, M, directions=4)
z = solve_lcp(mixed.A, mixed.b, lower=mixed.lower, upper=mixed.upper).z
print(
    f"{len(z)} unknowns; velocity {np.ravel(mixed.motion(z)).round(6) + 0.0}, impulse {mixed.multipliers(z).round(6) + 0.0}"
)
np.testing.assert_allclose(np.ravel(mixed.motion(z)), [0.0, 3.0 - 0.5 * 1.0, 0.0], atol=1e-9)

# %% [markdown]
# ## Limits
#
# A limit is one row, $\dot C = J v$, for any $C(q) \ge 0$. What if it is violated already, by rounding, or by a step that
# was too long? Then the row asks for a velocity that closes it: $u \ge -k\,C$, with $C < 0$. That is two signs in a row
# that are easy to get wrong, and a book that we know has them wrong for the upper limit. There $C = \theta_{hi} - \theta$,
# $J = -1$, and the right-hand side $k (\theta_{hi} - \theta)$ is printed, without the minus.


# %%
def opened(sign, steps=40):
    """Return where a joint goes that is 0.02 beyond its upper limit, and moves outwards with 0.1 a second; mass 1."""
    theta, v = 0.02, 0.1
    for _ in range(steps):
        C = -theta  # the limit is at zero
        r = max(0.0, sign * 20.0 * C + v)  # -(v - r) >= sign k C
        v, theta = v - r, theta + h * (v - r)
    return theta


print(f"with -k C: {opened(-1.0):.6f};  as printed, with k C: {opened(1.0):.3f}")
assert opened(-1.0) <= 0.0
assert opened(1.0) > 0.02

# %% [markdown]
# The right row throws the joint back inside; as printed, it lets it go on opening, at the same speed. Nobody notices as
# long as no limit is violated.
#
# A second trap: *where* a slider's limit pushes. The force is along the axis $s$ on both bodies, $-s r$ and $s r$, but
# their centres of mass are apart by $c$, so that both forces have a moment $c \times s\, r$ together. Whatever the row says
# about angular velocities has to take it away again, or the stop makes angular momentum from nowhere.

# %%
s, c = np.array([1.0, 0.0, 0.0]), np.array([0.3, 0.2, -0.1])


def made_by(first, second):
    """The angular momentum that a unit impulse makes, about the first centre; the angular parts are given."""
    return first + second + np.cross(c, s)


half = 0.5 * np.cross(c, s)
print("angular parts +half and -half, as printed:", made_by(half, -half))
print("angular parts -half on both:              ", made_by(-half, -half))
assert np.linalg.norm(made_by(half, -half)) > 0.1
np.testing.assert_allclose(made_by(-half, -half), 0.0, atol=1e-15)

# %% [markdown]
# In the library, a limit is on a *measure*: a joint's coordinate, an angle between frames, a way, a length, or a function
# of yours. Its row is the gradient of what it limits, which cannot make momentum. Here is a general one, the arm whose tip
# stays above a line that is not level, by a function of its angle.

# %%
swing = ModelBuilder("arm")
swing.add_body("rod", mass=1.0, center_of_mass=(0.5, 0, 0), inertia=(0.001, 0.02, 0.02))
swing.add_joint("pin", "revolute", "world", "rod", axis=(0, -1, 0))  # positive is up, level at 0
arm = swing.build()


def above_line(q):
    """The height of the tip, 1 m from the pin, over z = -0.6 + 0.5 x."""
    return np.sin(q[0]) + 0.6 - 0.5 * np.cos(q[0])


bounded = World(arm, [constraints.UserFunction("line", above_line, one_sided=True)])
fallen = bounded.simulate([1.0], [0.0], 2.0, h, record="constraint_forces")
lowest = fallen.q[-1, 0]
print(f"it rests at {np.rad2deg(lowest):.3f} degrees, {above_line([lowest]):.1e} m above the line")
assert abs(above_line([lowest])) < 1e-6

# %% [markdown]
# ## Motors
#
# Question 1. The arm begins level, where its weight pulls with $m g / 2 = 4.9$ N m; the motor holds speed zero with up to
# 3 N m. It falls, and the motor takes 3 N m times the angle from its energy:
#
# $$ \tfrac12 m g L \sin\varphi = F \varphi . $$
#
# The arm is past the vertical when it stops. There the weight is weaker than the motor, and it stays.

# %%
weight, strength = 0.5 * G, 3.0
low, high = 1.0, 3.0  # bisection
for _ in range(60):
    middle = 0.5 * (low + high)
    low, high = (middle, high) if weight * np.sin(middle) > strength * middle else (low, middle)

fig, panel = plt.subplots(layout="constrained")
errors = []
for step, line in ((0.02, ":"), (0.005, "-")):
    motor = World(arm, [constraints.Motor("motor", "pin", speed=0.0, force=strength)])
    fall = motor.simulate([0.0], [0.0], 2.0, step)
    errors.append(abs(-fall.q[-1, 0] - low))
    panel.plot(
        fall.time, -np.rad2deg(fall.q[:, 0]), line, color=BLUE, label=f"motor of 3 N m, steps of {1e3 * step:.0f} ms"
    )
print(f"theory {np.rad2deg(low):.2f} degrees; errors {np.rad2deg(errors).round(2)}")
assert errors[1] < 0.5 * errors[0]
np.testing.assert_allclose(fall.v[-1], 0.0, atol=1e-12)

servo = World(arm, [constraints.Servo("servo", "pin", target=0.0, stiffness=20.0, damping=4.0)]).simulate(
    [0.0], [0.0], 2.0, h
)
drive = World(arm, [constraints.PositionDrive("drive", "pin", target=0.0, force=6.0)]).simulate([0.0], [0.0], 2.0, h)
panel.plot(servo.time, -np.rad2deg(servo.q[:, 0]), color=ORANGE, label="gains, 20 N m/rad")
panel.plot(drive.time, -np.rad2deg(drive.q[:, 0]), color=GREEN, label="drive to a position, up to 6 N m")
panel.axhline(np.rad2deg(low), color=GREY, lw=1.0, ls="--")
panel.set(xlabel="time / s", ylabel="fallen by / degrees")
panel.legend(loc="center right")
plt.show()

sag = -servo.q[-1, 0]
np.testing.assert_allclose(20.0 * sag, weight * np.cos(sag), rtol=1e-4)
np.testing.assert_allclose(drive.q[-1], 0.0, atol=1e-9)

# %% [markdown]
# Gains sag until spring and weight agree. A motor with the *target* in its row, lower and upper limit at once, with a
# bounded force, does not sag, as long as its force suffices. It is the stiffest servo there is, and no stiff equation:
# the bound does the work of the gain.
#
# ## Positions from velocities
#
# All of this gives velocities. Positions follow, $\dot q = L(q)\, v$ with the identity for places and half a quaternion
# product for orientations; and a step along $\dot q$, normalised, is what most programs do. A wheel shows what is lost.

# %%
p, w = rng.standard_normal(4), rng.standard_normal(3)
p /= np.linalg.norm(p)
L = position_rate_matrix(p)
np.testing.assert_allclose(L[:3, :3], np.eye(3))
np.testing.assert_allclose(
    L[3:, 3:] @ w, 0.5 * quaternion_product(p, np.array([0.0, *w])), atol=1e-14
)  # w in body axes

print(" speed     along the rate       turn by the angle     (rad in a step of 10 ms)")
for speed in (1.0, 10.0, 50.0, 200.0):
    spin, turned = np.array([0.0, 0.0, speed]), []
    start = np.array([1.0, 0.0, 0.0, 0.0])
    along = start + h * position_rate_matrix(start)[3:, 3:] @ spin
    for q in (along / np.linalg.norm(along), quaternion_exp(h * spin)):
        turned.append(2.0 * np.arctan2(q[3], q[0]))
    print(f"{speed:6.0f}    {turned[0]:.6f}             {turned[1]:.6f}")
    np.testing.assert_allclose(turned[1], h * speed, atol=1e-12)

# %% [markdown]
# At 200 rad/s, the wheel of a fast car, the small step turns it by 1.57 rad in place of 2. On a steered axle the wheel then
# leaves its plane, and the rows of the hinge pull it back, by an error that grows with the cube of $h \omega$. The library
# turns by the angle.
#
# ## Two methods, side by side
#
# Now friction, and many contacts. The whole step of a pile in the *convex* law of notebook 11 is the minimum of
# $\tfrac12 r^T N r + b^T r$ over the cones. **Gauss-Seidel** takes one contact after the other. **Projected gradient** moves
# all of them, $r^+ = P(r - t\,(N r + b))$, by a step $t \le 1 / \lVert N \rVert$. Its accelerated form, Nesterov's, looks
# ahead along the last change,
#
# $$ y = r + \beta_k (r - r^-), \qquad r^+ = P\big(y - t\,(N y + b)\big) , $$
#
# and forgets the momentum whenever a step has gone uphill. That is all there is to APGD. First a pyramid of cannon balls.


# %%
def cannon_balls(n, radius=0.05):
    """The centres of a square pyramid with n layers."""
    layers = [(i, j, k) for k in range(n) for i in range(n - k) for j in range(n - k)]
    i, j, k = np.array(layers, dtype=float).T
    return radius * np.column_stack([2 * i + k, 2 * j + k, 1 + np.sqrt(2.0) * k])


def pyramid(n, radius=0.05, friction=0.5, h=0.01):
    """One step of it; every third ball has ten times the mass."""
    x = cannon_balls(n, radius)
    m = np.where(np.arange(len(x)) % 3 == 0, 10.0, 1.0)
    i, j = np.nonzero(np.triu(np.linalg.norm(x[:, None] - x, axis=2) < 2.001 * radius, 1))
    low = np.flatnonzero(x[:, 2] < 1.001 * radius)
    floor = np.column_stack([np.zeros(len(low), int), low + 1])
    pairs = np.concatenate([floor, np.column_stack([i, j]) + 1])
    normals = np.concatenate([np.tile([0.0, 0.0, 1.0], (len(low), 1)), (x[j] - x[i]) / (2 * radius)])
    points = np.concatenate([x[low] - [0, 0, radius], 0.5 * (x[i] + x[j])])
    wrench = np.zeros((len(x) + 1, 6))
    wrench[1:, 5] = -G * m
    inertia = np.concatenate([np.eye(3)[None], 0.4 * radius**2 * m[:, None, None] * np.eye(3)])
    bodies = Bodies([np.inf, *m], inertia, np.vstack([[0, 0, -1.0], x]), wrench=wrench)
    return assemble_contacts(bodies, ContactTable(pairs, normals, points, friction=friction), h)


def project(x, mu):
    """Row by row the nearest point of the cone |x_t| <= mu x_n."""
    slide = np.linalg.norm(x[:, 1:], axis=1)
    n = (x[:, 0] + mu * slide) / (1.0 + mu**2)
    edge = np.column_stack([n, (mu * n / np.maximum(slide, 1e-300))[:, None] * x[:, 1:]])
    inside, behind = slide <= mu * x[:, 0], mu * slide <= -x[:, 0]
    return np.where(inside[:, None], x, np.where(behind[:, None], 0.0, edge))


def natural_map(N, b, mu, r):
    """How far r is from P(r - u); zero at solutions."""
    return np.abs(r - project(r - (N @ r.ravel() + b).reshape(-1, 3), mu)).max()


def gauss_seidel(N, b, mu, rounds):
    r, history = np.zeros((len(b) // 3, 3)), []
    rows, largest = [N[3 * k : 3 * k + 3].toarray() for k in range(len(r))], []
    for k, row in enumerate(rows):
        largest.append(np.linalg.eigvalsh(row[:, 3 * k : 3 * k + 3])[-1])
    for _ in range(rounds):
        for k, row in enumerate(rows):
            u = row @ r.ravel() + b[3 * k : 3 * k + 3]
            r[k] = project((r[k] - u / largest[k])[None], mu)[0]
        history.append(natural_map(N, b, mu, r))
    return r, history


def apgd(N, b, mu, rounds, momentum=True):
    t = 1.0 / np.linalg.eigvalsh(N.toarray())[-1]
    r = y = np.zeros((len(b) // 3, 3))
    theta, history = 1.0, []
    for _ in range(rounds):
        gradient = (N @ y.ravel() + b).reshape(-1, 3)
        new = project(y - t * gradient, mu)
        uphill = np.sum(gradient * (new - r)) > 0.0
        after = 0.5 * (np.sqrt(theta**4 + 4.0 * theta**2) - theta**2)
        beta = theta * (1.0 - theta) / (theta**2 + after)
        theta, beta = (1.0, 0.0) if uphill else (after, beta)
        y, r = new + (beta if momentum else 0.0) * (new - r), new
        history.append(natural_map(N, b, mu, r))
    return r, history


problem = pyramid(5)
N, b = problem.matrix().tocsr(), problem.offset
print(f"{len(cannon_balls(5))} balls, {len(b) // 3} contacts")
rounds = 400
runs = {
    "Gauss-Seidel": gauss_seidel(N, b, 0.5, rounds),
    "projected gradient": apgd(N, b, 0.5, rounds, momentum=False),
    "accelerated (APGD)": apgd(N, b, 0.5, rounds),
}
fig, panel = plt.subplots(layout="constrained")
for (name, (_, history)), color in zip(runs.items(), (ORANGE, GREY, BLUE), strict=True):
    panel.loglog(1 + np.arange(rounds), history, color=color, label=name)
    print(f"{name:20} after 10 rounds {history[9]:.1e}, after {rounds} {history[-1]:.1e}")
panel.set(xlabel="rounds over all contacts", ylabel="natural map")
panel.legend()
plt.show()

# %% [markdown]
# **Question 2.** After ten rounds Gauss-Seidel is nearer, since each contact sees what its neighbours have just become. Then
# it slows down: what the bottom carries has to come from the top, a layer in each round, and heavy balls lie on light ones.
# The plain gradient is the slowest of the three. Momentum takes it past both, after some two hundred rounds.
#
# The library has both, and others, and judges all of them by one error. For a larger pyramid, in the convex law and in
# Coulomb's:

# %%
larger = pyramid(7)
print(f"{larger.blocks} contacts; rounds until the error is below")
print("law   method     1e-1     1e-2     1e-3    reached after 2000")
for law in ("ccp", "ncp"):
    for name, found in compare_methods(larger, law, ["apgd", "pgs"], tol=1e-8, max_iterations=2000, repeats=1).items():
        below = [found.history[:, 1] <= limit for limit in (1e-1, 1e-2, 1e-3)]
        counts = "".join(f"{1 + np.argmax(x):9d}" if x.any() else "        -" for x in below)
        print(f"{law}   {name:6}{counts}    {found.history[-1, 1]:.0e}")

# %% [markdown]
# A round costs about the same in both, within a factor of two: one product of the operator with a vector.
# `benchmarks/results/contact.md` has both for published problems. To 1e-6 in the convex law, APGD takes about a sixth of the
# rounds of Gauss-Seidel, in the median; packed spheres take 2.4 ms against 12 ms, capsules 4 ms against 59 ms. In
# Coulomb's law, which is no minimum, the advantage is smaller, and hard problems stop both, like this pyramid. Then
# `method="auto"`, which is the default, goes on with others: sweeps, an interior point, Newton's method. A result's
# `stages` say what each of them did. `plot_convergence(problem)` draws all of it, over rounds and over seconds of yours.
#
# ## A pile
#
# `World` does all of it in each step: it finds what touches, makes the problem, solves it, and starts the next one from
# what it knows. Balls and boxes fall into a bin.

# %%
WIDTH, COUNT = 0.25, 36
piled = ModelBuilder("pile")
shapes = [Collider("floor", HalfSpace(), "world")]
for k, z in enumerate(([1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0])):  # walls, whose z axes point inwards
    axes = np.column_stack([np.cross([0, 0, 1], z), [0, 0, 1], z])
    shapes.append(Collider(f"wall {k}", HalfSpace(), ("world", -WIDTH * np.array(z), axes), Surface(friction=0.3)))
rough, q, masses = Surface(friction=0.5), [], []
for k in range(COUNT):
    name, r = f"body {k}", rng.uniform(0.03, 0.06)
    if k % 2:
        shape, m = Box(2.0 * r * np.array([0.8, 0.9, 0.7])), 500.0 * 8.0 * r**3 * 0.504
        squares = np.square(shape.size)
        inertia = m / 12.0 * (squares.sum() - squares)
    else:
        shape, m = Sphere(r), 500.0 * 4.0 / 3.0 * np.pi * r**3
        inertia = np.full(3, 0.4 * m * r**2)
    masses.append(m)
    piled.add_body(name, mass=m, inertia=tuple(inertia))
    piled.add_joint(name, "free", "world", name)
    shapes.append(Collider(name, shape, name, rough))
    layer, (i, j) = k // 9, divmod(k % 9, 3)
    p = rng.standard_normal(4)
    place = np.array([0.15 * (i - 1), 0.15 * (j - 1), 0.08 + 0.14 * layer]) + rng.uniform(-0.01, 0.01, 3)
    q += [*place, *(p / np.linalg.norm(p))]
pile = World(piled.build(), shapes=shapes)
fall = pile.simulate(q, np.zeros(6 * COUNT), 1.6, h, record=["constraint_forces", "energy"], every=4)
energy = fall.columns["kinetic_energy"] + fall.columns["potential_energy"]
assert np.diff(energy).max() < 1e-6 * energy[0]
last = fall.contacts_at(-1)
print(last)
print(f"fastest {np.abs(fall.v[-1]).max():.1e}, deepest {-min(0.0, last.gap.min()):.1e} m")
carried = sum(last.wrench("world", f"body {k}")[5] for k in range(COUNT))
print(f"the floor carries {carried:.2f} N of {G * sum(masses):.2f} N")

# %%
fig, panel = plt.subplots(figsize=(4.2, 4.6))
fig.subplots_adjust(0.13, 0.1, 0.98, 0.98)
placed = forward_kinematics(pile.model, fall.q)
circle = np.linspace(0.0, 2.0 * np.pi, 40)
lines = [
    [panel.plot([], [], color=(BLUE, ORANGE)[k % 2], lw=1.0)[0] for _ in range(12 if k % 2 else 1)]
    for k in range(COUNT)
]
panel.plot([-WIDTH, -WIDTH, WIDTH, WIDTH], [0.7, 0.0, 0.0, 0.7], color=BLACK)
panel.set(aspect="equal", xlim=(-0.3, 0.3), ylim=(-0.02, 0.7), xlabel="x / m", ylabel="z / m")


def frame(k):
    for body in range(COUNT):
        T, shape = placed[k, body], shapes[5 + body].shape
        if isinstance(shape, Box):
            for line, edge in zip(lines[body], box_lines(shape.size, T[:3, :3], T[:3, 3]), strict=True):
                line.set_data(edge[:, 0], edge[:, 2])
        else:
            lines[body][0].set_data(T[0, 3] + shape.radius * np.cos(circle), T[2, 3] + shape.radius * np.sin(circle))


moving(fig, frame, len(fall.q), fps=12, dpi=70)

# %% [markdown]
# The energy only falls, and each step knows its error: a motion ends with a message where one is not solved. What a step
# knows from the one before are the impulses of the contacts that are still there. That is worth most where nothing
# changes, and most things at rest do not change. The pyramid again, prepared once:

# %%
prepared = Solver(problem, "ncp", tol=1e-6)
first = prepared.solve()
again = prepared.solve(warm_start=first.multipliers)
print(
    f"from zero: {first.iterations} rounds, {first.status}; from its own solution: {again.iterations}, {again.status}"
)
assert again.converged
assert again.iterations < first.iterations

# %% [markdown]
# ## A robot that stands
#
# Question 3. A trunk of 10 kg, four legs with three joints each, feet that are balls of 2 cm on a plane, and gains that
# hold the joints. It is dropped from 3 cm.

# %%
dog = ModelBuilder("dog")
dog.add_body("trunk", mass=10.0, inertia=(0.05, 0.2, 0.2))
dog.add_joint("float", "free", "world", "trunk")
LEGS = {"front left": (0.2, 0.1), "front right": (0.2, -0.1), "hind left": (-0.2, 0.1), "hind right": (-0.2, -0.1)}
for leg, (x, y) in LEGS.items():
    dog.add_body(f"{leg} hip", mass=0.5, inertia=(4e-4, 4e-4, 4e-4))
    dog.add_body(f"{leg} thigh", mass=0.8, center_of_mass=(0, 0, -0.1), inertia=(4e-3, 4e-3, 6e-4))
    dog.add_body(f"{leg} shin", mass=0.2, center_of_mass=(0, 0, -0.1), inertia=(8e-4, 8e-4, 6e-5))
    dog.add_joint(f"{leg} roll", "revolute", "trunk", f"{leg} hip", axis=(1, 0, 0), position=(x, y, 0))
    dog.add_joint(f"{leg} pitch", "revolute", f"{leg} hip", f"{leg} thigh", axis=(0, 1, 0))
    dog.add_joint(f"{leg} knee", "revolute", f"{leg} thigh", f"{leg} shin", axis=(0, 1, 0), position=(0, 0, -0.2))
dog = dog.build()
DOG_MASS = 10.0 + 4 * (0.5 + 0.8 + 0.2)


def on_feet(friction):
    feet = [
        constraints.PointContact(leg, "world", (f"{leg} shin", (0, 0, -0.2)), radius=0.02, friction=friction)
        for leg in LEGS
    ]
    return World(dog, feet)


ground = on_feet(0.6)
bend = np.array([0.0, 0.7, -1.4])
pose = np.array([0, 0, 0.4 * np.cos(0.7) + 0.02, 1, 0, 0, 0, *np.tile(bend, 4)])
gains = np.concatenate([np.zeros(6), np.full(12, 400.0)])  # nobody holds the trunk
hold = PDControl(stiffness=gains, damping=0.05 * gains, q=pose)
drop = pose + 0.03 * np.eye(19)[2]
landing = ground.simulate(drop, np.zeros(18), 1.0, 1e-3, control=hold, record="constraint_forces")

forces = landing.columns["constraint_forces"].reshape(len(landing), 4, 3)  # normal, and two tangents, of each foot
fig, panel = plt.subplots(layout="constrained")
for k, color in zip((0, 2), (BLUE, ORANGE), strict=True):
    panel.plot(landing.time, forces[:, k, 0], color=color, label=f"{list(LEGS)[k]} foot, normal")
panel.plot(landing.time, forces[:, :, 0].sum(axis=1) / 4.0, color=GREY, lw=1.0, ls="--", label="a fourth of all four")
panel.set(xlabel="time / s", ylabel="force / N", ylim=(-5, 220))
panel.legend()
plt.show()

standing = landing.contacts_at(-1)
print({leg: round(f, 2) for leg, f in zip(LEGS, standing.normal_force.tolist(), strict=True)}, standing.state.tolist())
np.testing.assert_allclose(standing.normal_force.sum(), DOG_MASS * G, rtol=1e-4)
assert np.all(np.linalg.norm(forces[..., 1:], axis=-1) <= 0.6 * forces[..., 0] + 1e-6)  # in each step
np.testing.assert_allclose(
    landing.q[:30, 2], drop[2] - 0.5 * G * landing.time[:30] ** 2, atol=1e-3
)  # it falls at first

# %% [markdown]
# The feet of one side carry the same by symmetry; those behind carry more, since bent legs have their knees, and their
# masses, behind. Statics has three equations for normal forces: their sum, and two moments. A stool on three legs is
# determined by them. With four feet there is a freedom left, in which two feet across from each other carry more, and the
# two others less. Geometry does not decide that; what gives way does, and here it is the gains of the joints. With rigid
# legs no solver can know it: it picks one answer, and velocities are the same in all.

# %%
fourth = np.array([1.0, -1.0, -1.0, 1.0])  # across
feet = standing.point[:, :2]
equations = np.vstack([np.ones(4), feet.T])
print("moments and sum of the pattern:", (equations @ fourth).round(9))
assert np.abs(equations @ fourth).max() < 1e-6
_, _, right = np.linalg.svd(equations)
np.testing.assert_allclose(np.abs(right[-1]), 0.5, atol=1e-6)  # nothing else is free

# %% [markdown]
# Pushed from the side with 30 N, friction decides: feet stick up to a coefficient of $30 / (m g) = 0.19$ or so. One
# coefficient, for sticking and sliding alike. That it takes more to get loose than to go on sliding is not in this law; with
# `kinetic_friction=` a contact has a smaller coefficient while it slides.

# %%
push = np.zeros((dog.n_bodies, 6))
push[0, 4] = 30.0  # on the trunk, along its y axis
print("coefficient   moved by     feet")
for friction in (0.6, 0.3, 0.1):
    pushed = on_feet(friction).simulate(
        landing.q[-1], landing.v[-1], 0.3, 1e-3, control=hold, f_ext=push, record="constraint_forces"
    )
    states = sorted(set(pushed.contacts_at(-1).state.tolist()))
    print(f"{friction:6.1f}     {1e3 * (pushed.q[-1, 1] - landing.q[-1, 1]):7.1f} mm     {', '.join(states)}")
assert states == ["sliding"]

# %% [markdown]
# ## Exercises
#
# **12.1** One row with bounds: $u = n r + b$. Return the impulse $r$.


# %%
def bounded_row(n, b, lower, upper):
    """r in [lower, upper], with u = 0, or at a bound."""
    ...  # yours


check_exercise(bounded_row, chapter_12.bounded_row)

# %% [markdown]
# **12.2** One sweep of projected Gauss-Seidel over all rows, from the impulses `r`. Return the new ones; leave `r` as it is.


# %%
def sweep(N, b, lower, upper, r):
    """The impulses after one sweep, in the order of the rows."""
    ...  # yours


check_exercise(sweep, chapter_12.sweep)

# %% [markdown]
# **12.3** A wheel turns with `speed` about its axis. Its quaternion goes along its rate for a step `h`, and is normalised.
# By which angle has it turned?


# %%
def turned_angle(speed, h):
    """In radians."""
    ...  # yours


check_exercise(turned_angle, chapter_12.turned_angle)

# %% [markdown]
# **12.4** Three feet at the places `feet`, `(3, 2)`, carry a weight whose centre of mass is above `center`, `(2,)`. Return
# their normal forces.


# %%
def three_feet(feet, center, weight):
    """(3,), N"""
    ...  # yours


check_exercise(three_feet, chapter_12.three_feet)

# %% [markdown]
# ## To remember
#
# - A row is a Jacobian and two bounds: joint, limit, motor, friction. One projection, $r = P(r - u)$, holds all of them.
# - A violated limit needs the sign that closes it, and a force on two bodies needs the moment of its line.
# - A motor with bounds stalls where a spring with gains would sag.
# - Gauss-Seidel gets far in ten rounds, momentum in a thousand; warm starts help both. Only the residual tells which has
#   arrived.
# - More rows than the motion needs: velocities are determined, shares of forces are not.
#
# **References.** H. Mazhar, T. Heyn, D. Negrut, A. Tasora, "Using Nesterov's method to accelerate multibody dynamics with
# friction and contact", ACM Trans. Graph. 34 (3), 2015. B. O'Donoghue and E. Candes, "Adaptive restart for accelerated
# gradient schemes", Found. Comput. Math. 15, 2015. K. Erleben, "Stable, robust, and versatile multibody dynamics
# animation", thesis, 2004. J. J. Moreau, "Unilateral contact and dry friction in finite freedom dynamics", 1988.
# V. Acary, M. Bremond, O. Huber, "On solving contact problems with Coulomb friction: formulations and numerical
# comparisons", 2018.
#
# Source documents: 000, joint limits, joint motors, all constraints in one problem, and the update of positions; 003, the
# matrix $L$; 004, sections 9 and 10, and the summary of a project on APGD. What their print has otherwise: in 000 the
# error of an upper limit has the wrong sign, and the row of a slider's limit makes angular momentum. Both are listed, with
# tests, in `docs/sources.md`.
