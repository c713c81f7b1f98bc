"""Numbers in memory as compiled code sees them: views of arrays, and states turned into lanes and back."""
