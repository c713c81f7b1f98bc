"""Topics on the dynamics of models, beside Pinocchio and MuJoCo."""
