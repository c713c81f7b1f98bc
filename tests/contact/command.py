"""The whole command ``pluecker`` inside this process, as ``tests/articulated/command.py`` has that of articulated alone."""

from pluecker.contact.app.cli import main

__all__ = ["main"]
