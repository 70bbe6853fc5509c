"""Whether two words are few slips of the finger apart: a letter wrong, missing, too many, or two in the wrong order."""


def within(word: str, other: str, most: int) -> bool:
    """Whether at most so many edits turn one word into the other; two neighbours that changed places are one edit."""
    if abs(len(word) - len(other)) > most:
        return False
    start, ends = 0, (len(word), len(other))
    while start < min(ends) and word[start] == other[start]:
        start += 1
    while start < min(ends) and word[ends[0] - 1] == other[ends[1] - 1]:
        ends = (ends[0] - 1, ends[1] - 1)
    word, other = word[start : ends[0]], other[start : ends[1]]
    if not word or not other:
        return len(word) + len(other) <= most
    if not most:
        return False
    if word[0] == other[1:2] and word[1:2] == other[0] and within(word[2:], other[2:], most - 1):
        return True
    return (
        within(word[1:], other[1:], most - 1) or within(word[1:], other, most - 1) or within(word, other[1:], most - 1)
    )
