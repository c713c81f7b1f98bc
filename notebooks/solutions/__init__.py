"""The solutions of the exercises, one file for each notebook. Try first: a solution that is read teaches little."""
