"""Work shared among threads: atomic operations on shared memory, the threads themselves, and Ctrl-C."""
