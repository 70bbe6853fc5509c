"""The evaluations of the HSCA specification's section 7, one module each, all with one type of result.

Each module has `cases(seed, count)`, which depend on the bundled texts and the seed alone, and `run(cases)`.
"""
