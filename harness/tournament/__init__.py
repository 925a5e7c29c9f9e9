"""Matches, gauntlets and round robins: a fixed number of games between two engines or more."""
