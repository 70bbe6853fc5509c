"""How many tokens the recap of a compaction may have."""

from clew.config import CondenseConfig


def recap_budget(config: CondenseConfig, total: int, rest: int, scale: float = 1.0) -> int:
    """Tokens of a recap: what the last turns leave of a prompt that is `config.ratio` times smaller.

    At least a quarter of `config.recap_tokens`, so that a short session has one that says something; at most all of it,
    whatever was learned.

    Args:
        total: tokens of the whole session.
        rest: tokens of the turns that stay, as they are shown.
        scale: learned factor of both, see `clew.rank.tuning.recaps`.
    """
    most = config.recap_tokens
    return min(most, int(scale * max(most // 4, int(total / config.ratio) - rest)))
