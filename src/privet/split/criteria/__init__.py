"""One file per criterion, named after it: its ``CRITERION`` is known by being here."""
