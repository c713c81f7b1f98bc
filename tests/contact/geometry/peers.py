"""References for distances: support functions, coal, MuJoCo."""

from __future__ import annotations

import numpy as np

from pluecker.contact.geometry import HalfSpace
from tests.contact.geometry.pairs import support

FAR = 100.0  # m: how far MuJoCo looks
MUJOCO = {
    "HalfSpace": lambda s: 'type="plane" size="0 0 1"',
    "Sphere": lambda s: f'type="sphere" size="{s.radius!r}"',
    "Capsule": lambda s: f'type="capsule" size="{s.radius!r} {0.5 * s.length!r}"',
    "Cylinder": lambda s: f'type="cylinder" size="{s.radius!r} {0.5 * s.length!r}"',
    "Box": lambda s: 'type="box" size="{!r} {!r} {!r}"'.format(*s.sizes),
    "ConvexHull": lambda s: 'type="mesh" mesh="{}"',
}


def separation(first, T1, second, T2, n):
    """Return the separation of two shapes along directions ``(..., 3)``; its maximum over all is the signed distance."""
    low = np.einsum("...i,...i->...", T1[..., :3, 3], n) if isinstance(first, HalfSpace) else support(first, T1, n)
    return -support(second, T2, -n) - low


def coal_shape(coal, one):
    """A shape as coal's."""
    name = type(one).__name__
    if name == "ConvexHull":
        vertices, triangles = coal.StdVec_Vec3s(), coal.StdVec_Triangle()
        for vertex in one.vertices:
            vertices.append(vertex.copy())
        for triangle in one.triangles.tolist():
            triangles.append(coal.Triangle(*triangle))
        return coal.Convex(vertices, triangles)
    return {
        "HalfSpace": lambda s: coal.Halfspace(np.array([0.0, 0.0, 1.0]), 0.0),
        "Sphere": lambda s: coal.Sphere(s.radius),
        "Capsule": lambda s: coal.Capsule(s.radius, s.length),
        "Cylinder": lambda s: coal.Cylinder(s.radius, s.length),
        "Box": lambda s: coal.Box(*s.size),
    }[name](one)


def coal_nearest(coal, shapes, T1, T2):
    """Return the distance, the normal and the nearest points of two shapes of coal's."""
    request, found = coal.DistanceRequest(), coal.DistanceResult()
    request.enable_signed_distance = True
    request.gjk_max_iterations = request.epa_max_iterations = 1000
    request.gjk_tolerance = request.epa_tolerance = 1e-8
    P, Q = (coal.Transform3s(T[:3, :3].copy(), T[:3, 3].copy()) for T in (T1, T2))
    gap = coal.distance(shapes[0], P, shapes[1], Q, request, found)
    points = (np.array(x()) for x in (found.getNearestPoint1, found.getNearestPoint2))
    return gap, np.array(found.normal), *points


def coal_distance(coal, first, T1, second, T2):
    """The distance alone, of two records."""
    return coal_nearest(coal, [coal_shape(coal, each) for each in (first, second)], T1, T2)[0]


class InMujoco:
    """Two shapes in a model of MuJoCo's: the first one fixed, the second one on a free joint."""

    def __init__(self, first, second):
        import mujoco

        self.lib, texts, meshes = mujoco, [], ""
        for k, each in enumerate((first, second)):
            texts.append(f"<geom {MUJOCO[type(each).__name__](each).format(k)}/>")
            if type(each).__name__ == "ConvexHull":
                vertices = " ".join(map(repr, each.vertices.ravel().tolist()))
                meshes += f'<mesh name="{k}" vertex="{vertices}" inertia="shell"/>'
        self.model = mujoco.MjModel.from_xml_string(
            f'<mujoco><compiler boundmass="1" boundinertia="1"/><asset>{meshes}</asset><worldbody>{texts[0]}'
            f"<body><freejoint/>{texts[1]}</body></worldbody></mujoco>"
        )
        self.data = mujoco.MjData(self.model)

    def put(self, T1, T2):
        """Place the second shape relative to the first one."""
        R = T1[:3, :3].T
        self.data.qpos[:3] = R @ (T2[:3, 3] - T1[:3, 3])
        self.lib.mju_mat2Quat(self.data.qpos[3:], (R @ T2[:3, :3]).ravel())
        self.lib.mj_kinematics(self.model, self.data)
        self.lib.mj_comPos(self.model, self.data)

    def nearest(self, T1, T2):
        """Return the distance and the nearest points by mj_geomDistance."""
        self.put(T1, T2)
        ends = np.zeros(6)
        gap = self.lib.mj_geomDistance(self.model, self.data, 0, 1, FAR, ends)
        a, b = (T1[:3, :3] @ x + T1[:3, 3] for x in (ends[:3], ends[3:]))
        return gap, a, b

    def deepest_contact(self, T1, T2):
        """Return the distance and the normal of MuJoCo's deepest contact; None where it has none."""
        self.put(T1, T2)
        self.lib.mj_collision(self.model, self.data)
        found = self.data.contact
        if not self.data.ncon:
            return None
        k = int(np.argmin(found.dist))
        n = found.frame[k, :3] * (1.0 if found.geom[k, 0] == 0 else -1.0)
        return float(found.dist[k]), T1[:3, :3] @ n
