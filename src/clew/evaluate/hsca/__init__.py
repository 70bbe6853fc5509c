"""The evaluations that the HSCA specification asks for (its section 7), one module each, with one shape of result.

Each module has `cases(seed, count)`, made from our own texts and the seed alone, and `run(cases)`.
"""
