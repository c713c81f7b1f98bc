"""The adaptive pair, and the events at which friction and limits change the equation that it solves."""
