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
# # 11. Friction: pyramids, cones, and the exact law
#
# **The claim.** Coulomb's law cannot be had by minimising an energy. Two others are often solved in its place, a linear
# one and a convex one, and each is wrong in a way that can be seen: with a friction *pyramid* a puck drifts off its
# line, with the *convex* law a sliding cube takes off.
#
# You need: momentum and inertia (notebook 4), constraints and their forces (5 and 9).
#
# Here one body at a time is moved, by a loop that is written here, so that nothing is hidden. `World` does the same for
# whole mechanisms, and notebook 12 for piles and robots.
#
# ## A question first
#
# 1. A puck slides over a table, 20° off the x axis. A simulator replaces the friction cone by a pyramid with four sides,
#    along $\pm x$ and $\pm y$. Where does the puck stop, compared with a real one: on the same line? Earlier, later?
# 2. A cube is thrown along the floor at 6 m/s. Another simulator uses a convex law of friction, which has always
#    exactly one answer for the velocities. What happens to the *height* of the cube? And does the error go away with a
#    smaller time step?
#
# Write down what you expect.

# %%
import itertools
import tempfile

import matplotlib.pyplot as plt
import numpy as np
from IPython.display import Image
from matplotlib.animation import FuncAnimation, PillowWriter

from exercises import chapter_11
from figures import BLUE, GREEN, ORANGE, RED, arrow2, box_lines, use_style
from pluecker.contact import Bodies, ContactTable, Problem, assemble_contacts, errors_of, friction_lcp, solve
from pluecker.spatial import angular_velocity_matrix, quaternion_rate_matrix
from pluecker.teaching import check_exercise

use_style()
rng = np.random.default_rng(11)
G = 9.81

# %% [markdown]
# ## One contact, one step
#
# Two bodies touch. The normal $n$ points from the first to the second, $t_1, t_2$ span the plane of contact. The
# relative velocity $u = (u_n, u_t)$ at the point and the impulse $r = (r_n, r_t)$ have three components each. Over a
# step $h$,
#
# $$ u = N r + b, \qquad N = J M^{-1} J^T, \qquad b = J \left( v + h M^{-1} f \right) : $$
#
# $b$ is the velocity without contact, $N$ says how impulses change it. What is missing is a law that ties $u$ to $r$.
#
# **Normal direction**: bodies do not pull and do not go into each other, $0 \le r_n \perp u_n \ge 0$: both are not
# negative, and one of them is zero (Signorini).
#
# **Tangential direction** (Coulomb): the friction impulse lies in a disc, $|r_t| \le \mu r_n$; if the contact slides,
# it lies on the edge, and points exactly against the motion:
#
# $$ |r_t| \le \mu r_n, \qquad |u_t| \left( |r_t| - \mu r_n \right) = 0, \qquad r_t \cdot u_t = -|r_t|\,|u_t| . $$
#
# Together: $r$ lies in the cone $K = \{ |r_t| \le \mu r_n \}$.
#
# ### Most dissipation
#
# The three conditions are those of a minimum: among all impulses in the disc, friction takes the one with the least
# power,
#
# $$ r_t = \operatorname*{arg\,min}_{|y| \le \mu r_n}\; u_t \cdot y . $$
#
# Friction brakes as hard as it can. A cheap check: try a hundred thousand others.

# %%
mu, r_n, u_t = 0.4, 2.0, np.array([0.8, -0.3])
r_t = -mu * r_n * u_t / np.linalg.norm(u_t)  # on the edge, against the motion

others = rng.uniform(-1.0, 1.0, (100_000, 2)) * mu * r_n
others = others[np.linalg.norm(others, axis=1) <= mu * r_n]
assert np.all(others @ u_t >= r_t @ u_t)
best = others[np.argmin(others @ u_t)]
print(
    f"on the edge: {r_t.round(3)}, power {r_t @ u_t:.4f}; best of {len(others)} others: {best.round(3)}, {best @ u_t:.4f}"
)
np.testing.assert_allclose(best, r_t, atol=0.05)
np.testing.assert_allclose(r_t @ u_t, -np.linalg.norm(r_t) * np.linalg.norm(u_t))

# %% [markdown]
# But look closely at what is fixed in this minimum: $r_n$, and the velocity $u_t$ *at the end of the step*. Both are
# unknown, and both depend on $r_t$. Coulomb's law as a whole is not a minimum. Without friction it would be.
#
# ## Without friction, the step is a minimum
#
# With bilateral joints $J v = 0$ or frictionless contacts $J_n v \ge 0$, the velocity after the step is
#
# $$ v^+ = \operatorname*{arg\,min}_{J v = 0}\; \tfrac{1}{2h} (v - v^-)^T M (v - v^-) - f^T v
#   \;=\; \operatorname*{arg\,min}_{J v = 0}\; \tfrac12 (v - v_{\mathrm{free}})^T M (v - v_{\mathrm{free}}), $$
#
# the admissible velocity *nearest* to the one without constraint, measured by kinetic energy. The multipliers of this
# minimum are the impulses, and its conditions are a linear system like that of notebook 9:
#
# $$ \begin{pmatrix} M & -J^T \\ -J & 0 \end{pmatrix} \begin{pmatrix} v^+ \\ r \end{pmatrix}
#    = \begin{pmatrix} M v_{\mathrm{free}} \\ 0 \end{pmatrix} . $$
#
# With $\ge$ in place of $=$ they are a linear complementarity problem (LCP). Here is a cube that turns while it hits the
# floor with its four lower corners, $N$ and $b$ first by hand.

# %%
half = 0.05  # of a cube of 0.1 m and 1 kg
INERTIA = 1.0 / 600.0 * np.eye(3)
CORNERS = np.array([[x, y, z] for z in (-half, half) for x in (-half, half) for y in (-half, half)])
FRAME = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])  # n, t1, t2 in the rows


def by_hand(velocity, arms, h):
    """N and b of contacts with the floor; the velocity is [w; v] at the centre of mass, arms go from there to the points."""
    M = np.zeros((6, 6))
    M[:3, :3], M[3:, 3:] = INERTIA, np.eye(3)
    rows = [np.concatenate([np.cross(r, d), d]) for r in arms for d in FRAME]  # d . (v + w x r)
    J, v_free = np.array(rows), velocity + h * np.array([0.0, 0.0, 0.0, 0.0, 0.0, -G])
    return J @ np.linalg.solve(M, J.T), J @ v_free, J, M, v_free


def cube(position, quaternion, velocity):
    """The floor, a body of infinite mass, and the cube with its weight."""
    return Bodies(
        mass=[np.inf, 1.0],
        inertia=[np.eye(3), INERTIA],
        position=[[0.0, 0.0, -1.0], position],
        orientation=[[1.0, 0.0, 0.0, 0.0], quaternion],
        velocity=[np.zeros(6), velocity],
        wrench=[np.zeros(6), [0.0, 0.0, 0.0, 0.0, 0.0, -G]],
    )


def floor_contacts(bodies, mu):
    """The four lowest corners against the floor."""
    corners = bodies.position[1] + CORNERS @ bodies.rotation[1].T
    lowest = corners[np.argsort(corners[:, 2])[:4]]
    on_floor = lowest * [1.0, 1.0, 0.0]
    return ContactTable([[0, 1]] * 4, [[0.0, 0.0, 1.0]] * 4, on_floor, gap=lowest[:, 2], friction=mu)


velocity = np.array([0.5, -2.0, 0.3, 1.0, 0.2, -0.7])
bodies, h = cube([0.0, 0.0, half], [1.0, 0.0, 0.0, 0.0], velocity), 1e-3
problem = assemble_contacts(bodies, floor_contacts(bodies, 0.0), h)
N, b, J, M, v_free = by_hand(velocity, floor_contacts(bodies, 0.0).point - bodies.position[1], h)
np.testing.assert_allclose(problem.matrix().toarray(), N, atol=1e-12)
np.testing.assert_allclose(problem.offset, b, atol=1e-12)

result = solve(problem, "frictionless", "pgs", tol=1e-12)
v_plus = problem.motion(result.multipliers)[1]
print("velocities of the corners:", result.velocity[::3].round(4), " impulses:", result.multipliers[::3].round(4))

admissible = v_plus + 3.0 * rng.standard_normal((100_000, 6))
admissible = admissible[np.all(admissible @ J[::3].T >= 0.0, axis=1)]


def distance(v):
    return 0.5 * np.einsum("...i,ij,...j->...", v - v_free, M, v - v_free)


assert len(admissible) > 1000
assert np.all(distance(admissible) >= distance(v_plus) - 1e-9)
print(f"nearest: {distance(v_plus):.4f} J; the best of {len(admissible)} others: {distance(admissible).min():.4f} J")

# %% [markdown]
# (The first solver that is called compiles the methods for friction, half a minute or so, once.)
#
# ## Three laws
#
# | law | for each contact | what it is |
# |---|---|---|
# | **lcp** | Coulomb's law, with a polygon in place of the disc | linear complementarity |
# | **ccp** | $K \ni r \perp u \in K^*$ | the minimum of $\tfrac12 r^T N r + b^T r$ over $K$ |
# | **ncp** | $K \ni r \perp u + \mu \lvert u_t \rvert\, n \in K^*$ | Coulomb's law exactly (De Saxce) |
#
# Here $K^* = \{ u_n \ge \mu |u_t| \}$ is the dual cone: all $u$ with $r \cdot u \ge 0$ for every $r$ in $K$. The third
# line is Signorini's and Coulomb's conditions in one: add $\mu |u_t|$ to the normal velocity, and the pair lies in dual
# cones, at a right angle. The second is the same without this correction. It looks harmless.
#
# Here are both cone laws from first principles: the projection on the cone, and Gauss-Seidel over the contacts.


# %%
def project(x, mu):
    """The point of the cone |x_t| <= mu x_n that is nearest to x."""
    slide = np.linalg.norm(x[1:])
    if slide <= mu * x[0]:
        return x
    if mu * slide <= -x[0]:
        return np.zeros(3)
    n = (x[0] + mu * slide) / (1.0 + mu**2)
    return np.concatenate([[n], mu * n * x[1:] / slide])


def gauss_seidel(N, b, mu, law, sweeps=300):
    """Multipliers of K contacts, three for each: r_k = P(r_k - rho (u_k + correction)), one contact after another."""
    r = np.zeros(len(b))
    for _ in range(sweeps):
        for k in range(0, len(b), 3):
            here = slice(k, k + 3)
            u = N[here] @ r + b[here]
            if law == "ncp":
                u[0] += mu * np.linalg.norm(u[1:])  # De Saxce
            r[here] = project(r[here] - u / np.linalg.eigvalsh(N[here, here])[-1], mu)
    return r


bodies = cube([0.0, 0.0, half], [1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 2.0, 0.5, 0.0])  # slides
problem = assemble_contacts(bodies, floor_contacts(bodies, 0.5), h)
N, b = problem.matrix().toarray(), problem.offset
for law in ("ncp", "ccp"):
    result = solve(problem, law, "pgs", tol=1e-10)
    r = gauss_seidel(N, b, 0.5, law)
    np.testing.assert_allclose(N @ r + b, result.velocity, atol=1e-7)
    print(f"{law}: {result.status}, velocity of the cube {problem.motion(result.multipliers)[1].round(4) + 0.0}")

# %% [markdown]
# Velocities are compared, not impulses: four corners can share the weight of a cube in many ways, and methods choose
# different ones.
#
# In the second line the cube has an upward velocity. It lay on a floor, and nothing lifts it. Keep that in mind.
#
# A problem whose answer can be written down is a puck, a point of mass $m$: $N = 1/m$, $b = (-g h, w)$ with its
# velocity $w$. Coulomb's law: the normal impulse is $m g h$; friction takes away as much of $w$ as it can, up to
# $\mu g h$.

# %%
m, mu, w = 2.0, 0.5, np.array([0.3, -0.1])
for w in (np.array([3.0, 1.0]), np.array([0.03, -0.01])):
    puck = Problem.from_delassus(np.eye(3) / m, [-G * 0.01, *w], [mu])
    result = solve(puck, "ncp", "pgs", tol=1e-12)
    speed = np.linalg.norm(w)
    left = max(0.0, 1.0 - mu * G * 0.01 / speed)  # the share of its speed that remains
    np.testing.assert_allclose(result.velocity, [0.0, *(left * w)], atol=1e-9)
    np.testing.assert_allclose(result.multipliers, [m * G * 0.01, *(m * (left - 1.0) * w)], atol=1e-9)
    print(w, "->", result.velocity[1:].round(4), result.contact_states())

# %% [markdown]
# ## Pyramids: the puck that drifts
#
# A disc is not linear. A polygon is: let friction be a sum of $\eta$ impulses $\beta_i \ge 0$ along directions $d_i$
# around the circle. With the auxiliary $\lambda$, which is the speed of sliding, Stewart and Trinkle write
#
# $$ 0 \le \beta \perp D^T u_t + \lambda e \ge 0, \qquad 0 \le r_n \perp u_n \ge 0, \qquad
#    0 \le \lambda \perp \mu r_n - e^T \beta \ge 0 . $$
#
# That is an LCP, $0 \le z \perp A z + q \ge 0$. For one contact it is small enough to try everything: each of the
# unknowns is either zero, or its row is.


# %%
def by_enumeration(A, q):
    """All z with 0 <= z, A z + q >= 0 and z . (A z + q) = 0, found by trying which of the z are zero."""
    found, n = [], len(q)
    for active in itertools.product([False, True], repeat=n):
        on = np.flatnonzero(active)
        z = np.zeros(n)
        if len(on):
            z[on] = np.linalg.lstsq(A[np.ix_(on, on)], -q[on], rcond=None)[0]
        w = A @ z + q
        if z.min() >= -1e-9 and w.min() >= -1e-9 and np.abs(z * w).max() <= 1e-9:
            found.append(z)
    return found


angle = np.deg2rad(20.0)
start = 3.0 * np.array([np.cos(angle), np.sin(angle)])
m, mu, h = 1.0, 0.3, 0.02
puck = Problem.from_delassus(np.eye(3) / m, [-G * h, *start], [mu])
lcp = friction_lcp(puck, directions=4)
found = by_enumeration(lcp.A.toarray(), lcp.b)
by_lemke = solve(puck, "lcp", "lemke", directions=4)
for z in found:
    np.testing.assert_allclose(lcp.multipliers(z), by_lemke.multipliers, atol=1e-9)
print(f"{len(found)} solution; friction {by_lemke.multipliers[1:].round(4) + 0.0} N s, motion along {start.round(2)}")

# %% [markdown]
# The puck moves 20° off the x axis, and its friction points exactly along $-x$: a corner of the square. Here is what
# happens, seen from above: a cut through the cone, and through the pyramid that replaces it.

# %%
fig, panels = plt.subplots(1, 2, figsize=(6.4, 3.2), layout="constrained")
round_edge = np.linspace(0.0, 2.0 * np.pi, 200)
for panel, (name, corners, color) in zip(
    panels, (("cone: a disc", round_edge, BLUE), ("pyramid: a square", np.arange(5) * np.pi / 2.0, RED)), strict=True
):
    panel.fill(np.cos(corners), np.sin(corners), color=color, alpha=0.15, lw=0)
    panel.plot(np.cos(corners), np.sin(corners), color=color)
    arrow2(panel, [0.0, 0.0], 1.25 * start / np.linalg.norm(start), "0.3", label="$u_t$")
    arrow2(panel, [0.0, 0.0], -start / np.linalg.norm(start) if color == BLUE else [-1.0, 0.0], color, label="$r_t$")
    panel.set(title=name, aspect="equal", xlim=(-1.4, 1.5), ylim=(-1.2, 1.2))
    panel.set(xlabel=r"$r_{t1} \; / \; \mu r_n$", ylabel=r"$r_{t2} \; / \; \mu r_n$")
plt.show()

# %% [markdown]
# A linear
# function over a polygon has its minimum in a corner. So the friction does not oppose the motion, and the path bends.
# Here is the whole way, step by step.


# %%
def slide(law, method, **options):
    """Positions of the puck until it stands still."""
    path, x, w = [np.zeros(2)], np.zeros(2), start
    while np.linalg.norm(w) > 1e-9:
        puck = Problem.from_delassus(np.eye(3) / m, [-G * h, *w], [mu])
        w = solve(puck, law, method, tol=1e-10, **options).velocity[1:]
        x = x + h * w
        path.append(x)
    return np.array(path)


paths = {
    "Coulomb's law": slide("ncp", "pgs"),
    "pyramid, 4 sides": slide("lcp", "lemke", directions=4),
    "pyramid, 8 sides": slide("lcp", "lemke", directions=8),
}
fig, panel = plt.subplots(figsize=(6.4, 3.9), layout="constrained")
for (name, path), color, marker in zip(paths.items(), (BLUE, RED, GREEN), ("o", "s", "^"), strict=True):
    panel.plot(*path.T, color=color, marker=marker, markevery=5, ms=4, label=name)
    panel.plot(*path[-1], marker, color=color, ms=11)
panel.set(xlabel="x / m", ylabel="y / m", aspect="equal", xlim=(-0.05, 1.75), ylim=(-0.05, 1.1))
panel.legend(loc="upper left")
plt.show()

for name, path in paths.items():
    end, turned = path[-1], np.rad2deg(np.arctan2(path[-1][1], path[-1][0]))
    print(
        f"{name:17}: stops after {h * (len(path) - 1):.2f} s, {np.linalg.norm(end):.3f} m away, direction {turned:.1f}°"
    )

# %% [markdown]
# Marks are a tenth of a second apart. Both can be checked with pencil and paper. In Coulomb's law the puck brakes with
# $\mu g$ along a straight line, over $v^2 / (2 \mu g)$. With four sides it first loses velocity along $x$ alone, until
# $v_x = v_y$. Then it goes on along the diagonal, the friction being a mixture of two corners, that is shorter than
# $\mu r_n$ by $1/\sqrt2$.

# %%
a = mu * G
straight = start * np.linalg.norm(start) / (2.0 * a)
x, y = start
bent = np.array([(x**2 - y**2) / (2.0 * a), y * (x - y) / a]) + y**2 / a
np.testing.assert_allclose(paths["Coulomb's law"][-1], straight, atol=2.0 * h)
np.testing.assert_allclose(np.cross([*paths["Coulomb's law"][-1], 0.0], [*start, 0.0]), 0.0, atol=1e-8)
np.testing.assert_allclose(paths["pyramid, 4 sides"][-1], bent, atol=2.0 * h)
print(f"drift with four sides: {np.linalg.norm(bent - straight):.2f} m on a way of {np.linalg.norm(straight):.2f} m")

# %% [markdown]
# **Question 1.** It stops later, and elsewhere. The drift depends on how the axes $t_1, t_2$ happen to lie: the floor
# has got a grain, like wood. With $\eta$ sides the direction of friction is off by up to $\pi / \eta$, and its size by
# $1 - \cos(\pi / \eta)$; the price is $\eta + 2$ unknowns a contact.
#
# ### A failure on purpose: an equation instead of an inequality
#
# A misprint that is easy to make: write $D^T u_t + \lambda e = 0$ for the first of the three conditions. But directions
# come in opposite pairs, $d$ and $-d$. Adding the two equations gives $\lambda = 0$, subtracting them
# $d \cdot u_t = 0$.

# %%
directions = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]])
equations = np.hstack([directions, np.ones((4, 1))])  # for (u_t, lambda)
print("rank", np.linalg.matrix_rank(equations), "of 3 unknowns: only u_t = 0, lambda = 0 remains")
needed, allowed = m * np.linalg.norm(start), mu * m * G * h
print(
    f"the puck stands still after one step; that took an impulse of {needed:.2f} N s, friction can give {allowed:.3f} N s"
)
assert np.linalg.matrix_rank(equations) == 3
assert needed > 50.0 * allowed

# %% [markdown]
# ## Cones: the cube that takes off
#
# Now the convex law. Its minimum over impulses has a twin over velocities: as without friction, the nearest velocity to
# the free one,
#
# $$ v^+ = \operatorname*{arg\,min}_{u \in K^*}\; \tfrac12 (v - v_{\mathrm{free}})^T M (v - v_{\mathrm{free}}), \qquad
#    K^*: \; u_n \ge \mu |u_t| . $$
#
# So this law does not ask $u_n \ge 0$. It asks more: **what slides has to rise**, at an angle whose slope is $\mu$. For
# the puck, $N = 1/m$, the step is the nearest point in the usual sense, and fits into a picture.

# %%
fall, speed, mu = 0.3, 3.0, 0.5  # a large g h, so that it can be seen
free = np.array([speed, -fall])
answers = {}
for law in ("ncp", "ccp"):
    result = solve(Problem.from_delassus(np.eye(3), [-fall, speed, 0.0], [mu]), law, "pgs", tol=1e-12)
    answers[law] = result.velocity[[1, 0]]

n = (fall + mu * speed) / (1.0 + mu**2)  # closed forms
np.testing.assert_allclose(answers["ccp"], [speed - mu * n, n - fall], atol=1e-9)
np.testing.assert_allclose(answers["ncp"], [speed - mu * fall, 0.0], atol=1e-9)
np.testing.assert_allclose(answers["ccp"][1], mu * answers["ccp"][0], atol=1e-9)

fig, panel = plt.subplots(figsize=(6.4, 3.3), layout="constrained")
edge = np.array([0.0, 3.6])
panel.fill_between(edge, mu * edge, 2.1, color=ORANGE, alpha=0.2, lw=0)
panel.fill_between(edge, 0.0, mu * edge, color=BLUE, alpha=0.12, lw=0)
panel.plot(edge, mu * edge, color=RED, lw=1.2)
panel.axhline(0.0, color=BLUE, lw=1.2)
for law, color, name, shift in (("ccp", RED, "convex law", (-72, 2)), ("ncp", BLUE, "Coulomb", (10, 6))):
    arrow2(panel, free, answers[law] - free, color)
    panel.plot(*answers[law], "o", color=color)
    panel.annotate(name, answers[law], xytext=shift, textcoords="offset points", color=color)
panel.plot(*free, "o", color="0.15")
panel.annotate("free velocity", free, xytext=(-88, -4), textcoords="offset points")
panel.text(0.15, 1.75, r"admissible in the convex law: $u_n \geq \mu\, |u_t|$", color=RED)
panel.text(0.5, 0.07, r"admissible in Coulomb's: $u_n \geq 0$", color=BLUE)
panel.set(
    xlabel="tangential velocity / m/s", ylabel="normal velocity / m/s", xlim=(0, 3.8), ylim=(-0.45, 2.1), aspect="equal"
)
plt.show()

# %% [markdown]
# The cube of 0.1 m, thrown along the floor at 6 m/s, in both laws. The loop is the simplest one there is: velocities
# from the contact problem, then positions from velocities (the orientation by $\dot q = \tfrac12 \omega q$,
# normalised). The gaps of the corners are part of the problem: $u_n \ge -\text{gap} / h$, so that what is in the air is
# free.


# %%
def quaternion_rate(p, w):
    """dp/dt = 1/2 w p, with the angular velocity in world axes."""
    return 0.5 * np.concatenate([[-w @ p[1:]], p[0] * w + np.cross(w, p[1:])])


p, w = rng.standard_normal(4), rng.standard_normal(3)
p /= np.linalg.norm(p)
np.testing.assert_allclose(quaternion_rate_matrix(p) @ w, quaternion_rate(p, w), atol=1e-14)
in_body_axes = cube([0.0, 0.0, 0.0], p, np.zeros(6)).rotation[1].T @ w  # there the matrix is G: w = 2 G dp/dt
np.testing.assert_allclose(2.0 * angular_velocity_matrix(p) @ quaternion_rate(p, w), in_body_axes, atol=1e-14)


def moved(bodies, velocity, h):
    """The cube after a step with this velocity."""
    quaternion = bodies.orientation[1]
    turned = quaternion + h * quaternion_rate(quaternion, velocity[:3])
    return cube(bodies.position[1] + h * velocity[3:], turned / np.linalg.norm(turned), velocity)


def throw(law, h, duration, speed=6.0, mu=0.5):
    """Positions, orientations and velocities of the cube, and what its corners do."""
    bodies = cube([0.0, 0.0, half], [1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, speed, 0.0, 0.0])
    history, warm = [bodies], None
    for _ in range(round(duration / h)):
        problem = assemble_contacts(bodies, floor_contacts(bodies, mu), h)
        result = solve(problem, law, "pgs", tol=1e-9, warm_start=warm)
        assert result.converged
        warm = result.multipliers
        bodies = moved(bodies, problem.motion(warm)[1], h)
        history.append(bodies)
    return history


step, duration = 5e-3, 1.4
throws = {law: throw(law, step, duration) for law in ("ncp", "ccp")}
heights = {law: np.array([bodies.position[1, 2] - half for bodies in history]) for law, history in throws.items()}
first = throws["ccp"][1].velocity[1]
n = (G * step + mu * 6.0) / (1.0 + mu**2)
print(
    f"after one step the cube rises with {first[5]:.4f} m/s; (mu v + g h) / (1 + mu^2) - g h = {n - G * step:.4f} m/s"
)
np.testing.assert_allclose(first[5], n - G * step, rtol=1e-6)

exact_x = np.array([bodies.position[1, 0] for bodies in throws["ncp"]])
t = step * np.arange(len(exact_x))
braking = np.minimum(t, 6.0 / (mu * G))  # until it stands
np.testing.assert_allclose(exact_x, 6.0 * braking - 0.5 * mu * G * braking**2, atol=3.0 * step)
np.testing.assert_allclose(heights["ncp"], 0.0, atol=1e-6)
assert heights["ccp"].max() > 0.2

# %%
fig, panels = plt.subplots(2, 1, figsize=(6.4, 2.4), sharex=True)
drawn = {}
for panel, (law, color, name) in zip(panels, (("ncp", BLUE, "Coulomb's law"), ("ccp", RED, "convex law")), strict=True):
    panel.axhline(0.0, color="0.3", lw=1.0)
    drawn[law] = (
        [panel.plot([], [], color=color, lw=1.4)[0] for _ in range(12)],
        panel.plot([], [], color=color, lw=0.8, ls=":")[0],
    )
    panel.set(ylabel="z / m", xlim=(-0.15, 4.0), ylim=(-0.05, 0.5), aspect="equal")
    panel.text(3.95, 0.36, name, color=color, ha="right")
    panel.grid(visible=False)
panels[1].set(xlabel="x / m")
fig.subplots_adjust(left=0.11, right=0.98, top=0.98, bottom=0.2)


def frame(k):
    for law, (edges, trail) in drawn.items():
        bodies = throws[law][k]
        lines = box_lines((2 * half,) * 3, bodies.rotation[1], bodies.position[1])
        for line, edge in zip(edges, lines, strict=True):
            line.set_data(edge[:, 0], edge[:, 2])
        way = np.array([past.position[1] for past in throws[law][: k + 1]])
        trail.set_data(way[:, 0], way[:, 2])


with tempfile.TemporaryDirectory() as folder:
    film = FuncAnimation(fig, frame, frames=range(0, len(t), 7))
    film.save(f"{folder}/cube.gif", writer=PillowWriter(fps=15), dpi=80)
    plt.close(fig)
    with open(f"{folder}/cube.gif", "rb") as file:
        animation = file.read()
Image(data=animation, format="gif")

# %% [markdown]
# The film runs at half the natural speed. **Question 2.** The cube takes off at once, flies for half a second, and when
# it has come down it glides *above* the floor, in the height $h \mu |u_t|$, which is the lowest that
# $u_n + \text{gap} / h \ge \mu |u_t|$ allows. No energy is made: what goes up is taken from the motion along the floor.
# And a smaller step?

# %%
fig, panel = plt.subplots(figsize=(6.0, 3.2), layout="constrained")
for h, color, line in ((0.02, ORANGE, ":"), (0.01, GREEN, "--"), (0.005, RED, "-")):
    way = throws["ccp"] if h == step else throw("ccp", h, duration)
    z = np.array([bodies.position[1, 2] - half for bodies in way])
    panel.plot(h * np.arange(len(z)), z, color=color, ls=line, label=f"convex law, step {1e3 * h:.0f} ms")
    late = round(0.8 / h)
    hover = h * mu * way[late].velocity[1, 3]
    print(f"step {1e3 * h:4.0f} ms: rises {z.max():.3f} m; after 0.8 s in {z[late]:.4f} m, h mu u_t = {hover:.4f} m")
    np.testing.assert_allclose(z[late], hover, rtol=0.05)
panel.plot(t, heights["ncp"], color=BLUE, label="Coulomb's law, step 5 ms")
panel.set(xlabel="time / s", ylabel="height above the floor / m", ylim=(-0.02, 0.4))
panel.legend(ncols=2, fontsize=9)
plt.show()

# %% [markdown]
# The gliding gets lower with the step. The take-off does **not**: the law is another one, whatever the step. In gentler
# scenes, where bodies roll, stick, or slide slowly, nobody sees it, and the convex law is popular for good reasons: one
# solution for the velocities, fast solvers with proofs.
#
# ## The exact law, as a sequence of convex ones
#
# Coulomb's law differs from the convex one by the term $s = \mu |u_t|$ in the normal velocity. If $s$ were known, the
# problem would be convex, with $b_n + s$ in place of $b_n$. So guess, solve, correct, repeat:

# %%
problem = assemble_contacts(throws["ncp"][0], floor_contacts(throws["ncp"][0], mu), step)
N, b, s = problem.matrix(), problem.offset, np.zeros(4)
for k in range(12):
    shifted = b.copy()
    shifted[::3] += s
    u = N @ solve(Problem.from_delassus(N, shifted, [mu] * 4), "ccp", "pgs", tol=1e-12).multipliers + b
    print(f"round {k}: the corners rise with at most {u[::3].max():9.2e} m/s")
    s = mu * np.linalg.norm(u.reshape(4, 3)[:, 1:], axis=1)
exact = solve(problem, "ncp", "pgs", tol=1e-10)
np.testing.assert_allclose(u, exact.velocity, atol=1e-6)

# %% [markdown]
# Each round leaves a share $\mu^2 / (1 + \mu^2)$, a fifth here, as one finds for the puck from the closed forms above.
#
# This is a fixed point, not a minimum: nothing says in general that it exists, or that there is only one. A rigid rod
# pushed over a rough table (Painlevé) shows how it fails. In the plane, with strong coupling of $u_n$ and $r_t$:

# %%
N, mu_steep = np.array([[1.0, 1.2], [1.2, 2.0]]), 1.5


def coulomb_in_the_plane(b):
    """All answers of Coulomb's law for one contact in the plane: by trying open, sticking, sliding to either side."""
    answers = {"open": np.zeros(2), "sticking": np.linalg.solve(N, -b)}
    for way in (1.0, -1.0):
        d = np.array([1.0, -way * mu_steep])
        answers[f"sliding {'forward' if way > 0 else 'back'}"] = d * (-b[0] / (N[0] @ d))
    holds = {}
    for name, r in answers.items():
        u = N @ r + b
        inside = r[0] >= 0.0 and abs(r[1]) <= mu_steep * r[0] + 1e-12 and u[0] >= -1e-12 and abs(r[0] * u[0]) < 1e-12
        against = abs(u[1]) < 1e-12 or np.isclose(r[1], -np.sign(u[1]) * mu_steep * r[0])
        if inside and against:
            holds[name] = r
    return holds


for b in (np.array([0.5, 3.0]), np.array([-0.5, 3.0])):
    print(f"b = {b}:", {name: r.round(3).tolist() for name, r in coulomb_in_the_plane(b).items()})
assert len(coulomb_in_the_plane(np.array([0.5, 3.0]))) == 3
convex = solve(Problem.from_delassus(N, [0.5, 3.0], [mu_steep], size=2), "ccp", "pgs", tol=1e-12).multipliers
np.testing.assert_allclose(convex, coulomb_in_the_plane(np.array([0.5, 3.0]))["sticking"], rtol=1e-6)

# %% [markdown]
# Three answers to one question, all of them Coulomb's law. That is no fault of a solver: it is rigid bodies. The convex
# law has one answer here, the sticking one: where $u = 0$, the term by which the two laws differ is zero.
#
# ## Open, sticking, sliding
#
# Which state a contact is in comes out of the solution. The oldest experiment of all: a block on a slope slides when
# $\tan \alpha > \mu$.

# %%
for degrees in (10.0, 20.0, 26.0, 27.0, 40.0):
    alpha = np.deg2rad(degrees)
    weight = G * 0.01 * np.array([-np.cos(alpha), np.sin(alpha), 0.0])
    result = solve(Problem.from_delassus(np.eye(3), weight, [0.5]), "ncp", "pgs", tol=1e-12)
    print(f"{degrees:4.0f}°: tan {np.tan(alpha):.3f}, {result.contact_states()[0]:9} {result.errors.natural_map:.0e}")
    assert (result.contact_states()[0] == "sliding") == (np.tan(alpha) > 0.5)
lifted = solve(Problem.from_delassus(np.eye(3), [0.2, 1.0, 0.0], [0.5]), "ncp", "pgs", tol=1e-12)
print("lifted:", lifted.contact_states()[0])

# %% [markdown]
# The last column is an error, and a result says `converged` only if it is small. It deserves a section of its own.
#
# ## What the residual says
#
# Nobody hands out the right answer to compare with. But whether $r$ *is* an answer can be checked without one: the
# *natural map* is how far $r$ is from $P_K(r - u - \mu |u_t| n)$, in units in which impulses and velocities are alike. It
# is zero at solutions, and nowhere else. Here the cube slides, and the solver is stopped too early on purpose.

# %%
exact = solve(problem, "ncp", "pgs", tol=1e-13)
print("sweeps   natural map   velocity missed by")
for sweeps in (1, 3, 10, 30, 100):
    early = solve(problem, "ncp", "pgs", tol=1e-13, max_iterations=sweeps)
    missed = np.abs(early.velocity - exact.velocity).max()
    print(f"{sweeps:6d}   {early.errors.natural_map:11.1e}   {missed:.1e} m/s    {early.status}")
    assert missed < 1e3 * max(early.errors.natural_map, 1e-12)

# %% [markdown]
# Two things it does not say. It is not the distance to the solution; the two go to zero together, with a factor between
# them that grows with ratios of masses. And it says nothing about the *impulses*: one corner of the cube may press more
# and its neighbours less, and the error stays the same.
#
# It says which law was solved, too. Ask whether the solution of the convex law obeys Coulomb's:

# %%
convex = solve(problem, "ccp", "pgs", tol=1e-10)
for law in ("ccp", "ncp"):
    found = errors_of(problem, convex.multipliers, law)
    print(
        f"convex solution, judged by {law}: natural map {found.natural_map:.1e}, velocity missed by {found.velocity:.1e} m/s"
    )
assert errors_of(problem, convex.multipliers, "ccp").natural_map < 1e-9
assert errors_of(problem, convex.multipliers, "ncp").natural_map > 1e-2

# %% [markdown]
# A simulator may call both "solved". So each `Result` has its law and its errors, each step of a `World` refuses to go on
# where its law is not met, and `errors_of` judges multipliers wherever they come from.
#
# ## Exercises
#
# **11.1** Friction by most dissipation: the minimum of $u_t \cdot y$ over the disc $|y| \le \mu r_n$. `u_t` is not
# zero.


# %%
def friction_on_the_disc(u_t, mu, r_n):
    """The friction impulse of a sliding contact, (2,)."""
    ...  # yours


check_exercise(friction_on_the_disc, chapter_11.friction_on_the_disc)

# %% [markdown]
# **11.2** The same with a polygon: $\eta$ directions $d_i$ at the angles $2 \pi i / \eta$, $i = 0, \dots, \eta - 1$,
# and friction $\sum \beta_i d_i$ with $\beta_i \ge 0$ and $\sum \beta_i \le \mu r_n$.


# %%
def friction_on_the_polygon(u_t, mu, r_n, eta):
    """The friction impulse of a sliding contact, (2,)."""
    ...  # yours


check_exercise(friction_on_the_polygon, chapter_11.friction_on_the_polygon)

# %% [markdown]
# **11.3** The step of a sliding puck of any mass in the *convex* law: free velocity `speed` $> 0$ along the floor and
# `-fall` $< 0$ normal to it. Return the velocity along the floor and the one away from it, after the step. (What lies
# in $K^*$, and is nearest to the free velocity? Friction may stop it altogether.)


# %%
def convex_step(fall, speed, mu):
    """(u_t, u_n)"""
    ...  # yours


check_exercise(convex_step, chapter_11.convex_step)

# %% [markdown]
# **11.4** One contact in Coulomb's law, in full: $u = r / m + b$ with $b = (b_n, b_t)$, `(3,)`. Return the impulse $r$,
# `(3,)`.


# %%
def one_contact(m, b, mu):
    """The impulse of a contact that opens, sticks or slides."""
    ...  # yours


check_exercise(one_contact, chapter_11.one_contact)

# %% [markdown]
# ## To remember
#
# - $u = N r + b$, and a law. Signorini for the normal, most dissipation for the tangents.
# - Pyramid: an LCP. Friction points to corners, so that sliding bodies drift, by a way that depends on the axes.
# - Convex cone law: a minimum, with one answer. What slides has to rise, $u_n \ge \mu |u_t|$; smaller steps do not mend
#   that.
# - Exact law: $K \ni r \perp u + \mu |u_t| n \in K^*$. A fixed point: usually one answer, sometimes several or none.
# - Compare velocities, not impulses, and look at the error that a result reports.
#
# **Next:** notebook 12, limits and motors, which method is when the faster one, a pile, and a robot that stands.
#
# **References.** D. E. Stewart and J. C. Trinkle, "An implicit time-stepping scheme for rigid body dynamics with
# inelastic collisions and Coulomb friction", IJNME 39 (15), 1996. M. Anitescu and F. A. Potra, "Formulating dynamic
# multi-rigid-body contact problems with friction as solvable linear complementarity problems", Nonlinear Dynamics 14,
# 1997. M. Anitescu and A. Tasora, "An iterative approach for cone complementarity problems for nonsmooth dynamics",
# Comput. Optim. Appl. 47 (2), 2010. G. De Saxce and Z.-Q. Feng, "The bipotential method", Math. Comput. Modelling 28,
# 1998. V. Acary, F. Cadoux, C. Lemarechal, J. Malick, "A formulation of the linear discrete Coulomb friction problem
# via convex optimization", ZAMM 91 (2), 2011.
#
# Source documents: 000, the contact table, $C$, $N$, $D$, the problem with $\eta$ directions, the three states of a
# contact, and the update of positions; 002, (10) and (11), the minimum principle; 003, (1) and (2), Coulomb's law as
# most dissipation, and the cone; 004, section 10, the pyramid and the mixed problem. What their print has otherwise: in
# 000 a contact that separates may have any $\lambda$ (it is at least the speed of sliding), and one that sticks may
# leave the cone (it cannot); in 003 the tangential force is written with its normal part; 004 has the equation
# $J_d v + \beta e = 0$ that stopped our puck. All of them are listed, with tests, in `docs/sources.md`.
