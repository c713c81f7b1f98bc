"""The formulas as functions of NumPy arrays whose leading axes broadcast."""
