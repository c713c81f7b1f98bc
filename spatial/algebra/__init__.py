"""The formulas of the 6D algebra as kernels, on tuples of any scalar."""
