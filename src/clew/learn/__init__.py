"""Learning from use: feedback on recalls, silver questions, and the tuning of parameters. Start at `tuning.Tuner`."""
