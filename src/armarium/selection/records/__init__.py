"""Records: the sites that are wanted, each with its technical settings, its description and its history."""
