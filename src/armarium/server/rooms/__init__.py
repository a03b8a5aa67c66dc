"""How the services of rooms are made, where the house itself would grow too large for it."""
