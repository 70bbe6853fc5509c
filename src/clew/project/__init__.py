"""A code base or set of documents as a graph of files, symbols and sections, kept below `.clew/project`.

Start at `nodes.ProjectNode`.

    reading         walk, git_index, ignore_rules, limits, reading, parse, distribution
    the graph       nodes, edges, resolve, query, blast_radius, vectors
    the store       project, layout, index, objects, transforms, genesis, update, building, prune, status, watch,
                    open_cognition
    conversations   lens, elements, overlays, meet, links, names, traces, shell_writes
    quests          quests, checks, seals
"""
