"""Maintenance of spaces: verify, repair, copy, merge, forget, export. Start at `verify.verify` or `forget.forget`.

The modules by what they are about:

    checks          verify, examine, examine_together, check_counters, check_coverage, check_derived, check_facts,
                    check_references, doctor, stats
    forgetting      forget, forget_corrections, forget_originals, forget_proof, forget_traces, retention,
                    proxy_retention
    whole spaces    rebuild, export_space, copy_space, merge_space, merge_vectors
"""
