"""The exercises of each notebook: hidden parameters, the right answer, and mistakes that are often made."""
