"""From a question to ranked evidence, each turn with the reasons for its place."""
