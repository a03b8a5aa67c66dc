"""The tables of planning. They refer to each other in a ring, so they stand below all that asks them."""
