"""Readers for the formats of data sets, one module each."""
