"""Kinematics of bodies and frames: placements, velocities, accelerations, Jacobians, subtrees."""
