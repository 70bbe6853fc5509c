"""The command line: one module for each command or group of commands. Start at `main.main`.

The modules by what they are about:

    storing         put (add, import), watch, service, chat
    asking          ask (recall, search, quote), query, when, explain, brief, recap, sessions, structure (snapshots),
                    labels, entities, facts, quest, restore, pin
    looking after   keep (stats, export, pause, verify, ...), forget, doctor, jobs, condense, tune, settings, move
                    (backup, copy, merge), rekey
    projects        project, project_memory
    agents          serve, run, mcp, install, ledger
    showing         demo, demo_proxy, bench, evaluate
    shared parts    main, options, narrowing, opening, show, signal_words, terminal, title, problem_lines, full_disk
"""
