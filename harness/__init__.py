"""Numbishop's harness: plays two configurations of an engine and says which one is stronger."""
