"""Topics on steps of simulations, beside Pinocchio and MuJoCo."""
