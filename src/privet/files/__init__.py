"""Files: written whole and for good, read within bounds, sealed against a flipped bit."""
