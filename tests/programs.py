"""Programs that run in a process of their own, which has imported and compiled nothing yet."""

import os
import subprocess
import sys


def printed_by(program, *arguments, cwd=None, **environment):
    """Run a program, which has to end well, where it finds the same modules as this process; return what it prints."""
    path = os.pathsep.join([*filter(None, sys.path), os.getcwd()])
    command = [sys.executable, "-c", program, *arguments]
    environment = {**os.environ, "PYTHONPATH": path, **environment}
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=1800, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
