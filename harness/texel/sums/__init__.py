"""Sums over positions, compiled: loss, gradient, curvature, scores by game.

A package of its own, since compiled code is cached by the package that it lies in: an edit
elsewhere in the harness shall not compile it again.
"""
