"""A fresh process on its way to its first result: a line of JSON with the seconds of each stage and the peak of memory.

Started by the topic ``startup`` as ``python -I first_result.py LIBRARY ALGORITHM STATES``. It imports nothing of the
benchmarks, so that only the library's own start is measured.
"""

import json
import sys
import time
from pathlib import Path

start = time.perf_counter()
LIBRARY, ALGORITHM, PATH = sys.argv[1], sys.argv[2], sys.argv[4]
STATES = int(sys.argv[3])

if LIBRARY == "pluecker":
    import numpy as np

    import pluecker.articulated

    imported = time.perf_counter()
    model = pluecker.articulated.Model.from_urdf(PATH)
    zeros = np.zeros((STATES, model.nv) if STATES > 1 else model.nv)
    loaded = time.perf_counter()
    function = getattr(pluecker.articulated, ALGORITHM)
    function(*[model, zeros] if ALGORITHM == "crba" else [model, zeros, zeros, zeros])
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

try:  # not getrusage: its maximum includes that of the process from which this one was started
    lines = Path("/proc/self/status").read_text().splitlines()
    memory = 1024 * next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:"))
except OSError:
    memory = 0
print(json.dumps({"import": imported - start, "model": loaded - imported, "call": end - loaded, "memory": memory}))
