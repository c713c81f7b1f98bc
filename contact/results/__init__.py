"""How far multipliers are from a solution, what each contact does, and the record that says so."""
