"""Replicas as people manage them: which there are, where they lie, whether they answer."""
