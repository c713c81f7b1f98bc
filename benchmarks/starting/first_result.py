"""A fresh process on its way to its first result: a line of JSON with the seconds of each stage and the peak of memory.

Started by the topic ``startup`` as ``python -I first_result.py LIBRARY ALGORITHM STATES URDF``, and for friction as
``python -I first_result.py friction WHAT``: ``small`` is one sliding contact, ``hard`` a problem for the interior point and
Newton's method too, and ``warmup`` is the command of that name, whose memory is that of its largest process. As ``python -I
first_result.py world WHAT`` it makes the first step of a box on the ground: ``found`` looks for contacts, ``named`` has the
pair by name, ``points`` has points at its corners. As
``python -I first_result.py simulate WHAT STATES URDF`` it simulates 0.1 s without control, and then under all other kinds of
control, whose seconds stand beside: ``limits`` with the position limits of the file, ``free`` without. It imports nothing of
the benchmarks, so that only the library's own start is measured.
"""

import ctypes
import json
import sys
import time
from pathlib import Path

start = time.perf_counter()
LIBRARY, ALGORITHM, *MORE = sys.argv[1:]
STATES, PATH = (int(MORE[0]), MORE[1]) if MORE else (1, "")

if LIBRARY == "friction":
    import numpy as np

    import pluecker.articulated
    import pluecker.contact

    imported = time.perf_counter()
    contacts = 1 if ALGORITHM == "small" else 60
    A = np.random.default_rng(0).standard_normal((3 * contacts, 2 * contacts))
    N, b = (np.eye(3), [-1.0, 3.0, 0.0]) if contacts == 1 else (A @ A.T, A @ A[0])
    problem = pluecker.contact.Problem.from_delassus(N, b, np.full(contacts, 0.9))
    loaded = time.perf_counter()
    if ALGORITHM == "warmup":
        from pluecker.command import main

        main(["warmup"])
    else:
        pluecker.contact.solve(problem)
    if ALGORITHM == "hard":
        for method in ("interior_point", "newton"):
            pluecker.contact.solve(problem, method=method)
elif LIBRARY == "pluecker":
    import numpy as np

    import pluecker.articulated

    imported = time.perf_counter()
    model = pluecker.articulated.Model.from_urdf(PATH)
    zeros = np.zeros((STATES, model.nv) if STATES > 1 else model.nv)
    loaded = time.perf_counter()
    function = getattr(pluecker.articulated, ALGORITHM)
    function(*[model, zeros] if ALGORITHM == "crba" else [model, zeros, zeros, zeros])
elif LIBRARY == "world":
    import numpy as np

    from pluecker.articulated import ModelBuilder
    from pluecker.contact import World
    from pluecker.contact.constraints import PointContact
    from pluecker.contact.geometry import Box, Collider, HalfSpace, Surface

    imported = time.perf_counter()
    builder = ModelBuilder()
    builder.add_body("box", mass=1.0, inertia=(0.01, 0.01, 0.01))
    builder.add_joint("free", "free", parent="world", child="box")
    half = 0.5 * np.array([1.0, -1.0])
    corners = [PointContact(f"{x} {y}", "world", ("box", (x, y, -0.5)), friction=0.5) for x in half for y in half]
    surface = Surface(friction=0.5)
    solids = [Collider("ground", HalfSpace(), "world", surface), Collider("cube", Box((1.0, 1.0, 1.0)), "box", surface)]
    contacts = {
        "points": {"constraints": corners},
        "named": {"shapes": solids, "pairs": [("ground", "cube")]},
        "found": {"shapes": solids},
    }
    world = World(builder.build(), **contacts[ALGORITHM])
    loaded = time.perf_counter()
    world.step([0, 0, 0.5, 1, 0, 0, 0], [0, 0, 0, 1.0, 0, 0], 1e-3)
elif LIBRARY == "simulate":
    import numpy as np

    import pluecker.articulated as robotics

    imported = time.perf_counter()
    model = robotics.Model.from_urdf(PATH)
    q, v = robotics.neutral(model, within_limits=True), np.zeros(model.nv)
    if STATES > 1:
        q = np.tile(q, (STATES, 1))
    loaded = time.perf_counter()
    options = {"duration": 0.1, "step": 0.005, "limits": ALGORITHM == "limits"}
    robotics.simulate(model, q, v, **options)
elif LIBRARY == "Pinocchio":
    import numpy as np
    import pinocchio

    imported = time.perf_counter()
    model = pinocchio.buildModelFromUrdf(PATH)
    data, zeros = model.createData(), np.zeros(model.nv)
    loaded = time.perf_counter()
    pinocchio.rnea(model, data, zeros, zeros, zeros)
else:
    import mujoco

    imported = time.perf_counter()
    model = mujoco.MjModel.from_xml_path(PATH)
    data = mujoco.MjData(model)
    loaded = time.perf_counter()
    mujoco.mj_inverse(model, data)
end = time.perf_counter()

more = {}
if LIBRARY == "simulate":

    @ctypes.CFUNCTYPE(None, ctypes.c_double, *[ctypes.POINTER(ctypes.c_double)] * 4)
    def constant(t, q, v, tau, parameters):
        tau[0] = parameters[0]

    target = q[0] if STATES > 1 else q
    forces = robotics.TimeTable([0.0, 0.1], [v, v + 1.0])
    way = robotics.TimeTable([0.0, 0.1], [target, target + 0.1])
    gains = robotics.PDControl(100.0, 10.0, q=target)
    controls = {
        "constant": v + 1.0,
        "table": forces,
        "held table": robotics.TimeTable(forces.times, forces.values, linear=False),
        "gains": gains,
        "moving reference": robotics.PDControl(100.0, 10.0, q=way, tau=forces),
        "compiled": robotics.CompiledControl(constant, [1.0]),
        "Python": lambda t, q, v: -v,
        "sampled": robotics.Control(gains, period=0.01, clip=True),
        "motors": robotics.Control(gains, actuator=robotics.Actuator(2.0, 50.0, delay=0.01)),
    }
    for kind, control in controls.items():
        begun = time.perf_counter()
        robotics.simulate(model, q, v, **options, control=control)
        more[kind] = time.perf_counter() - begun

try:  # not getrusage: its maximum includes that of the process from which this one was started
    lines = Path("/proc/self/status").read_text().splitlines()
    memory = 1024 * next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:"))
except OSError:
    memory = 0
if ALGORITHM == "warmup":
    import resource

    memory = max(memory, 1024 * resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
stages = {"import": imported - start, "model": loaded - imported, "call": end - loaded, "memory": memory}
print(json.dumps(stages | {"more": more}))
