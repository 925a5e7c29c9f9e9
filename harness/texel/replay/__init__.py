"""Games replayed and their positions made rows of evaluation terms, compiled.

A package of its own, since compiled code is cached by the package that it lies in, together with
the engine's: an edit elsewhere in the harness shall not compile it again.
"""
