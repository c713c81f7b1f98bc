"""Scenes of balls: they roll, slip, spin, bounce and pass impacts on."""
