"""Scenes of friction: how things begin to slide, how fast, how far, and what another law changes."""
