"""Compares vector indexes as a Python user meets them. `./dev bench ann --help` is the way in."""
