"""Shorter renderings of stored text; the stored text itself is never changed.

Start at `renderings.render_salient` and `renderings.render_title`; `clew.text.evidence` finds what they should keep.

    one text        renderings, sentence_worth, courtesy
    one node        node_material, node_renderings, summary_check
    recaps          recap, recap_draft, recap_lines, recap_shifts, recap_told, recap_values, recap_size, recap_state,
                    material, mode
    what they say   statements, binding, open_tasks, spoken_tasks, left_open, reuse, loss
    compactions     stand_ins, last_turns, prompt_tokens
    message lists   chains, images, message_tokens, wires
    titles          session_titles, talk_titles
"""
