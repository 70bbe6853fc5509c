"""Read and change requests, and read answers, in the four wire formats; what no edit touches stays byte for byte."""
