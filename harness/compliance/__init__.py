"""Does a program keep to the UCI protocol? Steps that ask for one thing each, and their results."""
