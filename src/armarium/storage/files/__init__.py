"""The register of files: taking them in, storing them in every replica, giving them out."""
