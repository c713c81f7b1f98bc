"""Results: errors of multipliers, states of contacts, and the record that a solver returns."""
