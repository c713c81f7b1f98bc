"""Work shared among threads: atomic operations on shared memory, and the threads themselves."""
