"""The demonstration: a small web on the loopback, taken through the whole house."""
