"""Search: records by any of their fields, as a list, an address that can be kept, and a saved search."""
