"""The index as files for other tools."""
