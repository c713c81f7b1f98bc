"""Scenes of what stands, or falls: ladders, boxes, cards, stacks, arches, a pile that comes to rest."""
