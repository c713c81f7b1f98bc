"""What people run: methods side by side, pictures, compiling ahead, the command."""
