"""The command ``pluecker`` inside this process, for tests of what it does: a process of its own takes two seconds to begin.

``main(arguments)`` gives back the exit code. What Python runs as the program, ``pluecker.__main__``, reads ``sys.argv`` and
treats signals as a program that ends afterwards.
"""

from pluecker.command import main

__all__ = ["main"]
