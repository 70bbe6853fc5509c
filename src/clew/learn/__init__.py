"""What use teaches: feedback, silver questions, and the tuning of parameters. Start at `tuning.Bench`."""
