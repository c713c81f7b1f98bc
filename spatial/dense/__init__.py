"""Dense linear algebra of small matrices, on scalars: kernels, for one state or for lanes."""
