"""What holds bodies together beyond the tree: records of constraints, and the functions that they consist of."""
