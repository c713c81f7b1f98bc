"""The model of a mechanism: joints, how it is built, read and drawn, and how it lies in memory."""
