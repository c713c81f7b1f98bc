"""Sparse matrices of small dense blocks: products, elimination orders, Cholesky factors."""
