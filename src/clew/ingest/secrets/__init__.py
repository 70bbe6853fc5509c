"""Masks keys, tokens and passwords in text before anything is written; start at `masking.mask`."""
