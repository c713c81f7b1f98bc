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
# # 8. Articulated bodies: forward dynamics by elimination
#
# **The claim.** The articulated-body algorithm is Gaussian elimination of one sparse linear system, in an order that
# creates no new entries; that is why its cost is proportional to the number $n$ of bodies, and not to $n^3$.
#
# You need: spatial vectors, forces and inertias (notebooks 1 to 4), inverse dynamics (6), and the inertia matrix (7).
#
# Forward dynamics is the question of every simulator: the forces $\tau$ in the joints are known, how does the robot
# accelerate? With notebook 7 you can answer it. Compute $H(q)$ and $C(q, \dot q)$, and solve
#
# $$ H \ddot q = \tau - C . $$
#
# ## A question first
#
# Solving a system with $n$ unknowns takes about $n^3/6$ multiplications for a symmetric matrix. The algorithm of this
# notebook takes some hundreds of multiplications for each body.
#
# 1. A chain of 10 joints becomes a chain of 1000. By what factor does each of the two become slower?
# 2. From how many joints on is the second one faster?
# 3. A handle carries a rod that swings freely on a hinge. You push the handle, first along the rod, then across it.
#    Does the rod feel equally heavy both times?
#
# Write your three answers down. They are taken up again below.

# %%
import timeit

import matplotlib.pyplot as plt
import numpy as np

from exercises import chapter_08
from figures import BLUE, GREEN, GREY, ORANGE, RED, arrow2, use_style
from pluecker.articulated import ModelBuilder, SingularInertiaError, aba, bias_force, crba
from pluecker.teaching import check_exercise

use_style()
rng = np.random.default_rng(8)

# %% [markdown]
# ## The equations, without thinking about an algorithm
#
# A robot is a list of bodies; `parent[i]` is the body that carries body $i$, or $-1$ for the world. Parents stand
# before their children. Body $i$ has a revolute joint with the axis `axis[i]`, which stands at `place[i]` in the
# parent's frame.
#
# For each body there are three equations, all in the coordinates of the body:
#
# $$ a_i = X_i\, a_p + S_i\, \ddot q_i + c_i, \qquad
#    f_i = I_i\, a_i + p_i + \sum_{j \text{ child of } i} X_j^T f_j, \qquad
#    S_i^T f_i = \tau_i . $$
#
# The first is kinematics ($c_i = v_i \times S_i \dot q_i$ is known). The second is Newton's and Euler's law for one
# body: the force $f_i$ that comes through its own joint accelerates the body ($p_i = v_i \times^* I_i v_i$ is known),
# and is handed on to its children. The third says what the motor does. Gravity enters as an acceleration of the world,
# $a_0 = -g$, as in notebook 6.
#
# So a body has 13 unknowns, $z_i = (a_i, f_i, \ddot q_i)$, and 13 equations. Body $i$ meets nobody but its parent and
# its children. Here is the matrix $K$ of all equations. Signs and order are such that it is symmetric.


# %%
def skew(a):
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def crm(v):
    """The matrix of v x, for motions; for forces it is -crm(v).T."""
    return np.block([[skew(v[:3]), np.zeros((3, 3))], [skew(v[3:]), skew(v[:3])]])


def joint(robot, i, q):
    """X from the parent's coordinates to those of body i, and S."""
    s = skew(robot["axis"][i])
    E = np.eye(3) - np.sin(q) * s + (1.0 - np.cos(q)) * s @ s
    X = np.block([[E, np.zeros((3, 3))], [-E @ skew(robot["place"][i]), E]])
    return X, np.concatenate([robot["axis"][i], np.zeros(3)])


def inertia(robot, i):
    m, c = robot["mass"][i], skew(robot["center"][i])
    return np.block([[np.diag(robot["moments"][i]) - m * c @ c, m * c], [-m * c, m * np.eye(3)]])


def terms(robot, q, v):
    """X, S, I, c and p of all bodies: all that the velocities and the geometry have to say."""
    X, S, I, c, p, velocity = [], [], [], [], [], []
    for i, carrier in enumerate(robot["parent"]):
        Xi, Si = joint(robot, i, q[i])
        Ii, above = inertia(robot, i), Xi @ velocity[carrier] if carrier >= 0 else np.zeros(6)
        velocity.append(above + Si * v[i])
        for column, entry in ((X, Xi), (S, Si), (I, Ii)):
            column.append(entry)
        c.append(crm(velocity[i]) @ Si * v[i])
        p.append(-crm(velocity[i]).T @ Ii @ velocity[i])
    return X, S, I, c, p


A, F, D = slice(0, 6), slice(6, 12), 12  # where a, f and qdd stand among the 13
UP = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 9.81])  # the acceleration of the world, -g


def equations(parent, X, S, I, c, p, tau):
    """K and r with K z = r, in blocks: K[i, :, j] is the 13x13 block of bodies i and j."""
    n = len(parent)
    K, r = np.zeros((n, 13, n, 13)), np.zeros((n, 13))
    for i in range(n):
        K[i, A, i, A], K[i, A, i, F], K[i, F, i, A] = I[i], -np.eye(6), -np.eye(6)
        K[i, F, i, D], K[i, D, i, F] = S[i], S[i]
        r[i, A], r[i, F], r[i, D] = -p[i], -c[i], tau[i]
        if parent[i] >= 0:
            K[i, F, parent[i], A], K[parent[i], A, i, F] = X[i], X[i].T
        else:
            r[i, F] -= X[i] @ UP
    return K, r


# %% [markdown]
# A robot to try it on: a trunk of three bodies, two arms of three bodies each on the upper end. `build` gives the same
# robot to the library.


# %%
def random_robot(parent, seed=1):
    rng, n = np.random.default_rng(seed), len(parent)
    axis = rng.standard_normal((n, 3))
    return {
        "parent": parent,
        "axis": axis / np.linalg.norm(axis, axis=1, keepdims=True),
        "place": rng.normal([0.1, 0.0, 0.0], 0.1, (n, 3)),
        "mass": rng.uniform(0.5, 2.0, n),
        "center": rng.normal(scale=0.05, size=(n, 3)),
        "moments": rng.uniform(0.01, 0.02, (n, 3)),
    }


def build(robot):
    builder = ModelBuilder()
    for i, p in enumerate(robot["parent"]):
        builder.add_body(f"b{i}", robot["mass"][i], robot["center"][i], robot["moments"][i])
        parent = "world" if p < 0 else f"b{p}"
        builder.add_joint(f"j{i}", "revolute", parent, f"b{i}", robot["axis"][i], position=robot["place"][i])
    return builder.build()


robot = random_robot([-1, 0, 1, 2, 3, 4, 2, 6, 7])
model, n = build(robot), 9
q, v, tau = rng.uniform(-1.0, 1.0, n), rng.standard_normal(n), rng.standard_normal(n)

K, r = equations(robot["parent"], *terms(robot, q, v), tau)
z = np.linalg.solve(K.reshape(13 * n, 13 * n), r.ravel()).reshape(n, 13)
qdd = z[:, D]

np.testing.assert_allclose(K.reshape(13 * n, 13 * n), K.reshape(13 * n, 13 * n).T, atol=1e-15)
np.testing.assert_allclose(qdd, aba(model, q, v, tau), rtol=1e-8, atol=1e-8)
print(f"{13 * n} equations, {np.count_nonzero(K)} of {K.size} entries are not zero")

# %% [markdown]
# The system is right: its answer is that of the library's `aba` (the first call of a library function compiles it,
# which takes some seconds once). But nobody wants to solve 117 equations for nine joints.
#
# ## Elimination from the leaves
#
# A leaf, a body without children, meets only its parent. Solve its 13 equations for its 13 unknowns, and put the result
# into the equations of the parent. The parent's block changes, nothing else does. Then the next leaf, and so on, down
# to the root. That is block Gaussian elimination:


# %%
def eliminate(K, r, parent):
    """Forward dynamics: eliminate bodies from the last to the first, then substitute from the first to the last."""
    K, r, n = K.copy(), r.copy(), len(parent)
    for i in range(n - 1, -1, -1):
        p = parent[i]
        if p >= 0:
            L = K[p, :, i] @ np.linalg.inv(K[i, :, i])
            K[p, :, p] -= L @ K[i, :, p]
            r[p] -= L @ r[i]
    z = np.zeros((n, 13))
    for i in range(n):
        p = parent[i]
        z[i] = np.linalg.solve(K[i, :, i], r[i] - (K[i, :, p] @ z[p] if p >= 0 else 0.0))
    return z[:, D], K, r


by_elimination, left, left_r = eliminate(K, r, robot["parent"])
np.testing.assert_allclose(by_elimination, aba(model, q, v, tau), rtol=1e-8, atol=1e-8)

# %% [markdown]
# Each body costs the same: one inverse of a 13x13 matrix, and two products. So the cost is proportional to $n$. Nothing
# in this function knows any mechanics.
#
# ## Why the order matters
#
# Take a robot with a trunk and four legs of three bodies each. The squares below are blocks of $K$. Eliminating a body
# connects all of its neighbours that are still there with one another. A leaf has one neighbour, so that nothing new
# arises. The trunk has four, and all four legs get tied together.


# %%
def eliminated(parent, order):
    """Return the blocks that elimination in this order adds: pairs of bodies that did not meet before."""
    n = len(parent)
    neighbours = [{p} - {-1} | {j for j in range(n) if parent[j] == i} for i, p in enumerate(parent)]
    new = set()
    for i in order:
        for a in neighbours[i]:
            neighbours[a] |= neighbours[i] - {a}
            neighbours[a] -= {i}
            new |= {(a, b) for b in neighbours[i] - {a}}
    old = {(i, p) for i, p in enumerate(parent)} | {(p, i) for i, p in enumerate(parent)}
    return new - old


legs = [-1, *(k for leg in range(4) for k in (0, 3 * leg + 1, 3 * leg + 2))]
orders = {"leaves first": range(12, -1, -1), "trunk first": range(13)}

fig, panels = plt.subplots(1, 2, figsize=(6.4, 3.4), layout="constrained")
for panel, (name, order) in zip(panels, orders.items(), strict=True):
    new = eliminated(legs, order)
    for i, p in enumerate(legs):
        for pair in {(i, i), (i, p), (p, i)}:
            if min(pair) >= 0:
                panel.add_patch(plt.Rectangle((pair[1] - 0.45, pair[0] - 0.45), 0.9, 0.9, color=BLUE))
    for i, j in new:
        panel.add_patch(plt.Rectangle((j - 0.45, i - 0.45), 0.9, 0.9, color=ORANGE))
    panel.set(xlim=(-0.6, 12.6), ylim=(12.6, -0.6), xlabel="body", ylabel="body", aspect="equal")
    panel.set(title=f"{name}: {len(new)} new blocks", xticks=range(0, 13, 3), yticks=range(0, 13, 3))
    panel.grid(visible=False)
plt.show()

assert len(eliminated(legs, orders["leaves first"])) == 0
assert len(eliminated(legs, orders["trunk first"])) > 0

# %% [markdown]
# Blue: body meets parent. Orange: blocks that elimination creates. **A tree can always be eliminated from its leaves
# without a new block.** For a chain the matrix is block tridiagonal, and either end will do.
#
# ## What is left on the diagonal: the articulated inertia
#
# Look at the block of a body after everything beyond it has been eliminated. Where the inertia $I_i$ stood, there is
# now another matrix $I^A_i$. And on the right-hand side there is $-p^A_i$ in place of $-p_i$. So as seen through its
# joint, the body *with all that hangs on it* obeys
#
# $$ f_i = I^A_i\, a_i + p^A_i , $$
#
# a law of the same form as that of a single body. $I^A_i$ is its **articulated-body inertia**, $p^A_i$ the bias force
# (Featherstone 1983). Doing the elimination of one body by hand gives the formulas of the book:
#
# $$ U = I^A S, \quad D = S^T U, \quad u = \tau - S^T p^A, \qquad
#    I^a = I^A - U D^{-1} U^T, \quad p^a = p^A + I^a c + U D^{-1} u, $$
#
# $$ I^A_p \mathrel{+}= X^T I^a X, \qquad p^A_p \mathrel{+}= X^T p^a, \qquad
#    \ddot q = D^{-1} \left( u - U^T (X a_p + c) \right) . $$
#
# (The last formula is $\ddot q_i = (\tau_i - \hat b_i) / \hat a_i$ of many lecture notes, with $\hat a_i = D$.) This is
# the articulated-body algorithm: a loop outwards for the velocities (`terms`, above), a loop inwards, a loop outwards.


# %%
def aba_by_hand(parent, X, S, I, c, p, tau, locked=False):
    """RBDA, table 7.1, without its first loop, `terms`. (With `locked`, wrong on purpose: see below.)"""
    n, IA, pA = len(parent), list(I), list(p)
    U, d, u, a, qdd = [None] * n, [None] * n, [None] * n, [None] * n, [None] * n
    for i in range(n - 1, -1, -1):
        U[i] = IA[i] @ S[i]
        d[i], u[i] = S[i] @ U[i], tau[i] - S[i] @ pA[i]
        Ia, pa = IA[i] - np.outer(U[i] / d[i], U[i]), pA[i] + U[i] * (u[i] / d[i])
        if locked:
            Ia, pa = IA[i], pA[i]
        if parent[i] >= 0:
            IA[parent[i]] = IA[parent[i]] + X[i].T @ Ia @ X[i]
            pA[parent[i]] = pA[parent[i]] + X[i].T @ (pa + Ia @ c[i])
    for i in range(n):
        above = X[i] @ (a[parent[i]] if parent[i] >= 0 else UP) + c[i]
        qdd[i] = (u[i] - U[i] @ above) / d[i]
        a[i] = above + S[i] * qdd[i]
    return np.array(qdd), IA, pA


by_hand, IA, pA = aba_by_hand(robot["parent"], *terms(robot, q, v), tau)
np.testing.assert_allclose(by_hand, aba(model, q, v, tau), rtol=1e-8, atol=1e-8)
for i in range(n):  # what Gaussian elimination left on the diagonal
    np.testing.assert_allclose(left[i, A, i, A], IA[i], rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(-left_r[i, A], pA[i], rtol=1e-8, atol=1e-8)

# %% [markdown]
# Eliminating 13 unknowns by brute force, and the formulas of the book, leave the same numbers.
#
# A joint with several freedoms, a ball for example, has a matrix $S$ of several columns, and $D$ is a small matrix. The
# library needs no special case for it: it eliminates one column after another, each by the formulas above. The result
# is the same.

# %%
S3 = np.vstack([np.eye(3), np.zeros((3, 3))])  # a ball joint
at_once = IA[4] - IA[4] @ S3 @ np.linalg.inv(S3.T @ IA[4] @ S3) @ S3.T @ IA[4]
one_by_one = IA[4]
for s in S3.T:
    U = one_by_one @ s
    one_by_one = one_by_one - np.outer(U, U) / (s @ U)
np.testing.assert_allclose(one_by_one, at_once, rtol=1e-8, atol=1e-12)

# %% [markdown]
# ## Checked against something that knows no spatial vectors
#
# The double pendulum has two equations that every textbook of mechanics derives with Lagrange's method. With the angles
# $\theta_1, \theta_2$ measured from the vertical, point masses, massless rods, and $\Delta = \theta_1 - \theta_2$:
#
# $$ (m_1 + m_2) l_1^2 \ddot\theta_1 + m_2 l_1 l_2 (\ddot\theta_2 \cos\Delta + \dot\theta_2^2 \sin\Delta)
#    + (m_1 + m_2) g l_1 \sin\theta_1 = \tau_1 - \tau_2, $$
#
# $$ m_2 l_2^2 \ddot\theta_2 + m_2 l_1 l_2 (\ddot\theta_1 \cos\Delta - \dot\theta_1^2 \sin\Delta)
#    + m_2 g l_2 \sin\theta_2 = \tau_2 . $$

# %%
m1, m2, l1, l2, g = 1.3, 0.7, 0.5, 0.8, 9.81
pendulum = {
    "parent": [-1, 0],
    "axis": np.array([[0.0, 1.0, 0.0]] * 2),
    "place": np.array([[0.0, 0.0, 0.0], [0.0, 0.0, -l1]]),
    "mass": [m1, m2],
    "center": np.array([[0.0, 0.0, -l1], [0.0, 0.0, -l2]]),
    "moments": np.zeros((2, 3)),
}
q2, v2, tau2 = np.array([0.9, -1.7]), np.array([1.1, 2.3]), np.array([0.4, -0.3])
theta, rate = np.cumsum(q2), np.cumsum(v2)
cos, sin = np.cos(theta[0] - theta[1]), np.sin(theta[0] - theta[1])
matrix = np.array([[(m1 + m2) * l1**2, m2 * l1 * l2 * cos], [m2 * l1 * l2 * cos, m2 * l2**2]])
right = np.array(
    [
        tau2[0] - tau2[1] - m2 * l1 * l2 * rate[1] ** 2 * sin - (m1 + m2) * g * l1 * np.sin(theta[0]),
        tau2[1] + m2 * l1 * l2 * rate[0] ** 2 * sin - m2 * g * l2 * np.sin(theta[1]),
    ]
)
lagrange = np.diff(np.linalg.solve(matrix, right), prepend=0.0)  # from the angles to the joints
np.testing.assert_allclose(aba(build(pendulum), q2, v2, tau2), lagrange, rtol=1e-10)
np.testing.assert_allclose(aba_by_hand(pendulum["parent"], *terms(pendulum, q2, v2), tau2)[0], lagrange, rtol=1e-10)

# %% [markdown]
# ## What the hand feels
#
# $I^A$ is symmetric and positive definite like the inertia of a body, but **it is not one**. The inertia of a rigid
# body has ten numbers, and one of them is *the* mass: equal in all directions. $I^A$ has 21 numbers, and no such mass.
# That is the answer to question 3.
#
# A handle of mass $m_1$ carries a massless rod on a hinge, with a point mass $m_2$ at its end. All moves in a plane.
# The rod can transmit a force only along its own direction $u$, so that the articulated inertia of the handle has the
# linear part
#
# $$ M = m_1 1 + m_2\, u u^T . $$
#
# Along the rod the hand feels $m_1 + m_2$, across it $m_1$ alone.

# %%
handle, load, angle = 1.0, 2.0, np.deg2rad(35.0)
u = np.array([np.cos(angle), np.sin(angle)])
M = handle * np.eye(2) + load * np.outer(u, u)

swing = {  # the rod on the handle: a hinge about z; its articulated inertia, as seen by the handle
    "axis": np.array([[0.0, 0.0, 1.0]]),
    "place": np.zeros((1, 3)),
    "mass": [load],
    "center": np.array([[*u, 0.0]]),
    "moments": np.zeros((1, 3)),
}
I, (_, s) = inertia(swing, 0), joint(swing, 0, 0.0)
Ia = I - np.outer(I @ s, I @ s) / (s @ I @ s)
np.testing.assert_allclose(handle * np.eye(2) + Ia[3:5, 3:5], M, atol=1e-12)

turn = np.linspace(0.0, 2.0 * np.pi, 200)
unit = np.stack([np.cos(turn), np.sin(turn)])
force = M @ unit
fig, panel = plt.subplots(figsize=(5.2, 4.2), layout="constrained")
panel.plot(*((handle + load) * unit), color=GREY, ls="--", label="hinge locked: force for 1 m/s² in each direction")
panel.plot(*force, color=BLUE, label="hinge free: force for 1 m/s² in each direction")
panel.plot([0.0, u[0]], [0.0, u[1]], color="0.15", lw=4, solid_capstyle="round")
panel.plot(*u, "o", ms=15, color="0.15")
across = np.array([-u[1], u[0]])
panel.plot(0.0, 0.0, "s", ms=12, color=ORANGE)
for direction, text, shift in (
    (u, f"along: {handle + load:g} N", (-95, 4)),
    (across, f"across: {handle:g} N", (-66, 4)),
):
    arrow2(panel, [0.0, 0.0], M @ direction, RED)
    panel.annotate(text, M @ direction, xytext=shift, textcoords="offset points", color=RED)
panel.set(aspect="equal", xlabel="force along x / N", ylabel="force along y / N", xlim=(-3.4, 3.6), ylim=(-3.3, 4.4))
panel.legend(loc="upper left", fontsize=9)
plt.show()

# %% [markdown]
# ## A failure on purpose: composite instead of articulated
#
# Notebook 7 added up inertias too, from the leaves to the root: the *composite* inertia of the CRBA, that of the bodies
# beyond a joint **as if their joints were locked**. It is tempting to use it here. The argument `locked=True` does so:
# it leaves out $- U D^{-1} U^T$.
#
# Is the answer that comes out wrong, or just another convention? Ask for the power. The motors put in
# $\tau \cdot \dot q$; the mechanism takes up $\dot q \cdot (H \ddot q + C)$. They have to be equal.

# %%
wrong = aba_by_hand(robot["parent"], *terms(robot, q, v), tau, locked=True)[0]
for name, answer in (("articulated", by_hand), ("locked", wrong)):
    taken = v @ (crba(model, q) @ answer + bias_force(model, q, v))
    print(
        f"{name:>11}: first acceleration {answer[0]:8.3f} rad/s², power put in {tau @ v:7.3f} W, taken up {taken:9.3f} W"
    )

assert np.abs(v @ (crba(model, q) @ by_hand + bias_force(model, q, v)) - tau @ v) < 1e-9
assert np.abs(v @ (crba(model, q) @ wrong + bias_force(model, q, v)) - tau @ v) > 0.1

# %% [markdown]
# With locked joints energy comes from nowhere or gets lost. The composite inertia answers another question: which force
# is needed for *given* joint accelerations. The articulated inertia answers ours: the joints beyond are free to give
# way.
#
# They give way only if they move some inertia. Where $D = S^T I^A S$ is zero, the elimination divides by zero: the
# acceleration of such a joint is not determined. The library says so, and names the joint.

# %%
nothing = ModelBuilder()
nothing.add_body("arm", mass=1.0, center_of_mass=(0.1, 0.0, 0.0), inertia=(0.01, 0.01, 0.01))
nothing.add_joint("shoulder", "revolute", "world", "arm", axis=(0, 0, 1))
nothing.add_body("pointer", mass=0.0)
nothing.add_joint("wrist", "revolute", "arm", "pointer", axis=(0, 0, 1), position=(0.2, 0.0, 0.0))
try:
    aba(nothing.build(), [0.0, 0.0], [0.0, 0.0], [0.0, 0.0])
except SingularInertiaError as error:
    print(error)

# %% [markdown]
# ## Counting
#
# How many multiplications are there really? Run the very same code on numbers that count. `Counted` is a number whose
# product adds one to a tally; NumPy's `@` works on arrays of such objects.


# %%
class Counted:
    """A number that counts its multiplications and divisions."""

    tally = 0

    def __init__(self, x):
        self.x = x.x if isinstance(x, Counted) else float(x)

    def __add__(self, other):
        return Counted(self.x + Counted(other).x)

    def __sub__(self, other):
        return Counted(self.x - Counted(other).x)

    def __rsub__(self, other):
        return Counted(other) - self

    def __mul__(self, other):
        Counted.tally += 1
        return Counted(self.x * Counted(other).x)

    def __truediv__(self, other):
        Counted.tally += 1
        return Counted(self.x / Counted(other).x)

    __radd__, __rmul__ = __add__, __mul__


def counted(x):
    return np.vectorize(Counted, otypes=[object])(np.asarray(x, dtype=float))


def cholesky_solve(H, b):
    """x with H x = b, by H = L L^T and two substitutions, written out so that it can be counted."""
    n, x = len(b), list(b)
    L = np.zeros((n, n), dtype=object)
    for i in range(n):
        for j in range(i + 1):
            rest = H[i, j] - L[i, :j] @ L[j, :j] if j else H[i, j]
            L[i, j] = Counted(rest.x**0.5) if i == j else rest / L[j, j]
    for i in range(n):
        x[i] = (x[i] - sum(L[i, k] * x[k] for k in range(i))) / L[i, i]
    for i in range(n - 1, -1, -1):
        x[i] = (x[i] - sum(L[k, i] * x[k] for k in range(i + 1, n))) / L[i, i]
    return np.array(x)


sizes = (1, 2, 4, 8, 16, 32, 64)
counts = {"articulated bodies": [], "Cholesky of H": []}
for size in sizes:
    chain = random_robot(list(range(-1, size - 1)), seed=size)
    x, rate, force = rng.standard_normal((3, size))
    known = (crba(build(chain), x), force - bias_force(build(chain), x, rate))
    for name, solver, given in (
        ("articulated bodies", aba_by_hand, (chain["parent"], *terms(chain, x, rate), force)),
        ("Cholesky of H", cholesky_solve, known),
    ):
        Counted.tally = 0
        given = [given[0], *map(counted, given[1:])] if solver is aba_by_hand else map(counted, given)
        found = solver(*given)
        found = found[0] if solver is aba_by_hand else found
        counts[name].append(Counted.tally)
        np.testing.assert_allclose([y.x for y in found], aba(build(chain), x, rate, force), rtol=1e-5)

print("joints              " + "".join(f"{size:8d}" for size in sizes))
for name, row in counts.items():
    print(f"{name:20}" + "".join(f"{count:8d}" for count in row))

per_body = np.diff(counts["articulated bodies"]) / np.diff(sizes)
assert np.all(per_body == per_body[0])  # exactly linear
print(f"articulated bodies: {per_body[0]:.0f} multiplications for each further body")

# %% [markdown]
# Exactly linear. The number per body is large because the code here multiplies full 6x6 matrices, zeros included. The
# library's kernel, which uses the structure of $X$ and the symmetry of $I^A$, needs fewer. The Cholesky
# solver needs $n^3/6 + \mathcal{O}(n^2)$, and has to be given $H$ and $C$ first, which is not counted here.
#
# ## Timing
#
# Counts are not times. Here are the library's `aba`, the library's `crba` and `bias_force` with NumPy's `solve`, and
# the full system of $13 n$ equations.


# %%
def best_time(function, *given):
    """Seconds for one call: the best of five rounds of about 2 ms each."""
    timer = timeit.Timer(lambda: function(*given))
    timer.timeit(1)  # whatever is made once
    number = max(1, int(2e-3 / max(timer.timeit(1), 1e-6)))
    return min(timer.repeat(5, number)) / number


def dense(model, q, v, tau):
    return np.linalg.solve(crba(model, q), tau - bias_force(model, q, v))


lengths = (2, 4, 8, 16, 32, 64, 128, 256, 512)
times = {"aba": [], "crba, then solve": [], "13 n equations": []}
for size in lengths:
    chain = random_robot(list(range(-1, size - 1)), seed=size)
    chain["axis"] = np.eye(3)[np.arange(size) % 3]
    long, x = build(chain), rng.uniform(-0.5, 0.5, size)
    rate, force = rng.standard_normal((2, size))
    times["aba"].append(best_time(aba, long, x, rate, force))
    times["crba, then solve"].append(best_time(dense, long, x, rate, force))
    if size <= 32:
        big, side = equations(chain["parent"], *terms(chain, x, rate), force)
        times["13 n equations"].append(best_time(np.linalg.solve, big.reshape(13 * size, -1), side.ravel()))

fig, (left_panel, panel) = plt.subplots(1, 2, figsize=(7.4, 3.5), layout="constrained")
for (name, row), color in zip(counts.items(), (BLUE, ORANGE), strict=True):
    left_panel.loglog(sizes, row, "o-", ms=4, color=color, label=name)
left_panel.set(xlabel="joints of a chain", ylabel="multiplications")
left_panel.legend(fontsize=9)
for (name, row), color in zip(times.items(), (BLUE, ORANGE, GREEN), strict=True):
    panel.loglog(lengths[: len(row)], 1e6 * np.array(row), "o-", ms=4, color=color, label=name)
for power, start in ((1, 2e1), (3, 5e2)):
    guide = np.array([128.0, 512.0])
    panel.loglog(guide, start * (guide / 128.0) ** power, color=GREY, ls=":", lw=1.2)
    panel.annotate("$n$" if power == 1 else f"$n^{power}$", (512, start * 4.0**power), color="0.4", fontsize=9)
panel.set(xlabel="joints of a chain", ylabel="time of one call / µs")
panel.legend(fontsize=9, loc="upper left")
plt.show()

slow, fast = times["crba, then solve"], times["aba"]
for k in (0, -1):
    print(f"{lengths[k]} joints: aba {1e6 * fast[k]:.1f} µs, crba and solve {1e6 * slow[k]:.1f} µs")
growth = [row[-1] / row[-3] for row in (fast, slow)]
print(f"from 128 to 512 joints: aba takes {growth[0]:.1f} times as long, crba and solve {growth[1]:.1f} times")

# %% [markdown]
# **Your answers 1 and 2.** From 10 to 1000 joints the recursion takes a hundred times as long, a dense factorisation a
# million times in the limit. By counts the two meet at some dozens of joints, if $H$ is for free. By times, `aba` wins
# at once here: it is one call in place of three, and makes no matrix. For short chains it is the fixed costs of a call
# that you see, and the line of `aba` is flat on the left.
#
# A tree with many short branches is in between: there the factor of $H$ is sparse (notebook 7), and a solver that knows
# it is as good as ABA. `factorize` of the library counts operations and chooses.
#
# ## One state, and a hundred thousand in one call
#
# Learning, identification and Monte Carlo methods ask for many states at a time. All functions of
# `pluecker.articulated` take them as leading axes. A batch runs eight states at a time, one in each lane of a vector
# register, and on all cores.

# %%
arm_of_seven = random_robot(list(range(-1, 6)))
seven = build(arm_of_seven)
batches = (1, 10, 100, 1000, 10_000, 100_000)
states = rng.uniform(-1.0, 1.0, (3, batches[-1], 7))
everything = aba(seven, *states)  # compiles the code for batches
per_state = []
for size in batches:
    some = states[:, 0] if size == 1 else states[:, :size]
    per_state.append(best_time(aba, seven, *some) / size)

one_by_one = np.array([aba(seven, *states[:, k]) for k in range(100)])
np.testing.assert_allclose(everything[:100], one_by_one, rtol=1e-9, atol=1e-9)

fig, panel = plt.subplots(figsize=(5.6, 3.2), layout="constrained")
panel.loglog(batches, 1e9 * np.array(per_state), "o-", color=BLUE)
for k in (0, -1):
    place = (batches[k], 1e9 * per_state[k])
    panel.annotate(f"{place[1]:.0f} ns", place, xytext=(4, 9), textcoords="offset points")
panel.set(xlabel="states in one call", ylabel="time per state / ns", xlim=(0.7, 4e5))
panel.margins(y=0.2)
plt.show()
one, many = 1e5 * per_state[0], 1e5 * per_state[-1]
print(f"100,000 states of a seven-joint arm: {1e3 * many:.1f} ms in one call, {one:.2f} s in 100,000 calls")

# %% [markdown]
# ## Exercises
#
# **8.1** The articulated inertia that a body hands on, for a joint with any number of freedoms: `inertia` is $I^A$,
# `(6, 6)`, and `S` the motion subspace, `(6, k)`. Return $I^a$.


# %%
def handed_on(inertia, S):
    """Return what remains of the inertia of a body when its joint may give way along the columns of S."""
    ...  # yours


check_exercise(handed_on, chapter_08.handed_on)

# %% [markdown]
# **8.2** The handle with the rod of above, guided by a rail this time: it can only move along the unit vector `n`, at
# rest at first. The rod swings freely, its direction is the unit vector `u`, both `(2,)`. Which mass does the hand feel
# along the rail? And which mass does it feel without the rail, if the *force* points along `n` and you divide it by the
# part of the acceleration along `n`? Return both.


# %%
def felt_masses(handle, load, u, n):
    """The mass felt along n, in kg: guided by a rail, and free."""
    ...  # yours


check_exercise(felt_masses, chapter_08.felt_masses)

# %% [markdown]
# **8.3** How many blocks are there in the triangular factor of $K$, diagonal included, when the bodies are eliminated
# in the order given? `parent` is as above, `order` a list of all bodies. (When body $i$ is eliminated, its column has a
# block for itself and for each of its neighbours that are still there.)


# %%
def blocks_of_factor(parent, order):
    """The number of blocks in the factor."""
    ...  # yours


check_exercise(blocks_of_factor, chapter_08.blocks_of_factor)

# %% [markdown]
# **8.4** A chain of $n$ bodies in free flight, no joint forces, no gravity. You pull at body 0 with the force $f$ and
# want to know its acceleration. `I` is a list of $n$ inertias, `X` and `S` are lists of which entry $i$ belongs to the
# joint between bodies $i - 1$ and $i$ (entry 0 is not used). All velocities are zero. Return $I^A_0$, the articulated
# inertia of the whole chain.


# %%
def chain_inertia(I, X, S):
    """The articulated inertia of body 0."""
    ...  # yours


check_exercise(chain_inertia, chapter_08.chain_inertia)

# %% [markdown]
# ## To remember
#
# - The equations of motion of a tree are one sparse linear system; each body meets only its parent and its children.
# - Eliminated from the leaves, it fills in no block: $\mathcal{O}(n)$. What is left on the diagonal is the articulated
#   inertia.
# - $I^A$ relates force and acceleration of a body *whose joints beyond are free*. It is no rigid body's inertia: the
#   mass depends on the direction. With joints locked it would be the composite inertia of the CRBA.
# - Many states belong into one call.
#
# **Next:** notebook 9 goes the opposite way: all bodies in full coordinates first, and one matrix that reduces them.
#
# **References.** R. Featherstone, *Rigid Body Dynamics Algorithms* (RBDA), sections 7.1 to 7.3, and chapter 10 (costs). R.
# Featherstone, "The calculation of robot dynamics using articulated-body inertias", IJRR 2 (1), 1983. J. W. H. Liu,
# "The role of elimination trees in sparse factorization", SIAM J. Matrix Anal. Appl. 11 (1), 1990. Source document 004,
# section 11, which lists the three steps of ABA (it calls ABA "recursive Newton-Euler forward dynamics" as well; the
# recursion of Newton and Euler is that of notebook 6), and 002, section 5, which names it.
