"""How fast and how small Clew is, each figure beside a plain reference that is measured in the same run."""
