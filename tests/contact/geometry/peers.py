"""What tells whether a distance is right: support functions, coal, MuJoCo."""

from __future__ import annotations

import numpy as np

from pluecker.contact.geometry import HalfSpace
from tests.contact.geometry.pairs import support


def separation(first, T1, second, T2, n):
    """How far n parts two shapes."""
    low = T1[:3, 3] @ n if isinstance(first, HalfSpace) else support(first, T1, n)
    return -support(second, T2, -n) - low


def coal_distance(coal, first, T1, second, T2):
    made = {
        "HalfSpace": lambda s: coal.Halfspace(np.array([0.0, 0.0, 1.0]), 0.0),
        "Sphere": lambda s: coal.Sphere(s.radius),
        "Capsule": lambda s: coal.Capsule(s.radius, s.length),
        "Cylinder": lambda s: coal.Cylinder(s.radius, s.length),
        "Box": lambda s: coal.Box(*s.size),
    }
    request = coal.DistanceRequest()
    request.enable_signed_distance = True
    request.gjk_max_iterations = request.epa_max_iterations = 1000
    request.gjk_tolerance = request.epa_tolerance = 1e-8
    poses = (coal.Transform3s(T[:3, :3].copy(), T[:3, 3].copy()) for T in (T1, T2))
    shapes = (made[type(each).__name__](each) for each in (first, second))
    (a, b), (P, Q) = shapes, poses
    return coal.distance(a, P, b, Q, request, coal.DistanceResult())


def mujoco_distance(first, T1, second, T2):
    """Of two shapes that are apart, by mj_geomDistance."""
    import mujoco

    text = {
        "Sphere": lambda s: f'type="sphere" size="{s.radius}"',
        "Capsule": lambda s: f'type="capsule" size="{s.radius} {0.5 * s.length}"',
        "Box": lambda s: 'type="box" size="{} {} {}"'.format(*(0.5 * np.array(s.size))),
    }
    geoms = "".join(f"<body><freejoint/><geom {text[type(each).__name__](each)}/></body>" for each in (first, second))
    model = mujoco.MjModel.from_xml_string(f"<mujoco><worldbody>{geoms}</worldbody></mujoco>")
    data = mujoco.MjData(model)
    for k, T in enumerate((T1, T2)):
        data.geom_xpos[k], data.geom_xmat[k] = T[:3, 3], T[:3, :3].ravel()
    return mujoco.mj_geomDistance(model, data, 0, 1, 100.0, np.zeros(6))
