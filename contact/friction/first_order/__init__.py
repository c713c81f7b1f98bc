"""Methods that take products of the operator alone, or one factor for all iterations: one file each."""
