"""A question to ranked turns, each with the reasons for its place; pure. Start at `ranker.Ranker`."""
