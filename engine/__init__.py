"""The compiled chess engine of Numbishop: kernels by Numba, and a thin shell.

Importing this package imports nothing heavy: `engine.parameters` and `engine.uci` need no numba;
`engine.shell` (Game, Searcher) loads the kernels.
"""
