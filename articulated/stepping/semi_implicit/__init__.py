"""Semi-implicit Euler, with free joints and limits that make no energy."""
