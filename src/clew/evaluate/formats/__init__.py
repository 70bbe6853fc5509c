"""One module for each data set's own format."""
