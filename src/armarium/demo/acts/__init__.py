"""What people do in the demonstration, act by act, each with the verbs that the pages of their room have."""
