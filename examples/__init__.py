"""Scenes and demonstrations: what ``pluecker contact`` and ``pluecker demo`` show."""
