"""How much is read, where and of what. Nothing that is kept says who read, or which page."""
