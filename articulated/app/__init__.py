"""The command and the demonstration: arguments, figures, comparisons."""
