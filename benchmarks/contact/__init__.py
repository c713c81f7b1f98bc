"""Topics on friction problems and linear complementarity problems, beside Clarabel and QuantEcon."""
