"""Small problems of contacts and rows, on scalars: kernels, for one state or for lanes."""
