"""Machine code that comes with the package: how it is made, found and called."""
