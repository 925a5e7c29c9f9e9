"""Texel tuning: labelled positions in, evaluation weights with their uncertainty out."""
