"""Applications that people run: comparison of methods, pictures, compilation ahead, the command."""
