"""`harness queue`: runs that are played one after the other, kept in a file that outlives them."""
