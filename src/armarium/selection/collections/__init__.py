"""Collections: what may be chosen in each, by whom, and the matrix of combinations that nobody may choose."""
