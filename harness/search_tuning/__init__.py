"""Search parameters tuned by games: spaces, samplers, the study, its answer and its evidence."""
