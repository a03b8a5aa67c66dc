"""What people see of the chain, and what they may ask of it."""
