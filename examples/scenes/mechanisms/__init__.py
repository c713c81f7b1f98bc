"""Scenes of mechanisms that touch: a gripper, an arm, a figure, a quadruped."""
