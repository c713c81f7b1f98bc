"""Configurations and how they change: neutral, random, displaced by a velocity; random trees."""
