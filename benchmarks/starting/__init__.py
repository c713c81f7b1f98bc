"""Topics on what a new process waits for until its first result."""
