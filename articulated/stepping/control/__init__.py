"""Control of the joints: as the user gives it, as signals over time, and as a law during a step."""
