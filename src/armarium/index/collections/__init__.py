"""Collections as people see and change them."""
