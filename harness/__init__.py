"""Numbishop's harness: plays two configurations of an engine and says which one is stronger."""

__version__ = "0.1.0"
