"""What a text is made of, in any script: search terms, pieces, dates, names, tokens. Pure functions, no models."""
