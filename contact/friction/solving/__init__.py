"""Any problem, any law, any method: islands, Newton's method, the automatic choice, and ``solve``."""
