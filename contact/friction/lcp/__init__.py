"""Linear complementarity problems: their methods, one file each, and the laws of friction that are such problems."""
