"""An adapter for each system, of at most 60 lines; ann/system.py says what it has to answer."""
