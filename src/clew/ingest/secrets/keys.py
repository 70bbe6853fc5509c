"""Rules for keys that carry their issuer's mark: Clew's own, and those of gitleaks (`data/NOTICE`)."""

import json
import re
from base64 import b64encode
from collections.abc import Iterable, Sequence
from importlib import resources
from typing import Final

from clew.ingest.secrets import checks as check
from clew.ingest.secrets.checks import SecretMatch
from clew.ingest.secrets.rule import SecretRule, secret_rule
from clew.text.late_pattern import late_pattern

_DISCORD = tuple(  # the base64 of three digits, with which each id begins
    b64encode(str(number).encode()).decode().lower() for number in range(100, 1000)
)
_AWS_ID: Final = late_pattern(r"(?<![a-z0-9])a[ks]ia", re.IGNORECASE)
_AWS_SECRET: Final = late_pattern(r"(?<![\w/+=])(?P<secret>[A-Za-z0-9/+]{40})(?![\w/+=])")
_SHORTEST_WITH_ID: Final = 15
"""Characters of a word that may hold the id of an AWS key; one that is cut or hidden in part counts, too."""


def _aws_secrets(text: str, places: Sequence[int]) -> Iterable[SecretMatch]:
    """What has the length of an AWS secret, in a text that has a word which may hold the id of an AWS key."""
    return _AWS_SECRET.finditer(text) if any(_may_be_aws_id(text, at) for at in places) else ()


def _may_be_aws_id(text: str, at: int) -> bool:
    if not _AWS_ID.match(text, at):
        return False
    before, after = text[max(0, at - _SHORTEST_WITH_ID) : at], text[at : at + _SHORTEST_WITH_ID]
    head = "" if before[-1:].isspace() else "".join(before.split()[-1:])
    return len(head) + len(after.split(maxsplit=1)[0]) >= _SHORTEST_WITH_ID


KEYS: Final = (
    secret_rule("jwt", "eyj", r"(?<![\w-])(?P<secret>eyJ[\w-]{8,}+\.eyJ[\w-]{8,}+\.[\w-]{8,}+)"),
    secret_rule("anthropic", "sk-", r"(?<![\w-])(?P<secret>sk-ant-[\w-]{20,}+)", check.is_mixed_secret),
    secret_rule("openai", "sk-", r"(?<![\w-])(?P<secret>sk-[\w-]{20,}+)", check.is_random_key),
    SecretRule("aws-secret", ("akia", "asia"), "", check.is_mixed_secret, finder=_aws_secrets),
    secret_rule("aws-id", "akia asia", r"(?<![\w/+])(?P<secret>A[KS]IA[A-Z0-9]{16})(?![\w/+=])"),
    secret_rule("github", "ghp_ gho_ ghu_ ghs_ ghr_", r"(?<!\w)(?P<secret>gh[pousr]_[A-Za-z0-9]{36,}+)"),
    secret_rule("github", "github_pat_", r"(?<!\w)(?P<secret>github_pat_\w{22,}+)", check.is_mixed_secret),
    secret_rule("gitlab", "glpat- gldt- glrt- glptt-", r"(?<![\w-])(?P<secret>gl(?:pat|dt|rt|ptt)-[\w.-]{20,300}+)"),
    secret_rule("slack", "xox xapp-", r"(?<![\w-])(?P<secret>(?:xox[abeoprs]|xapp)-[\w-]{10,}+)"),
    secret_rule("slack", "hooks.slack.com", r"hooks\.slack\.com/services/(?P<secret>T\w+/B\w+/\w{16,}+)"),
    secret_rule("google", "aiza", r"(?<![\w-])(?P<secret>AIza[\w-]{35})(?![\w-])"),
    secret_rule("google", "gocspx- ya29.", r"(?<![\w-])(?P<secret>(?:GOCSPX-|ya29\.)[\w-]{20,}+)"),
    secret_rule(
        "stripe",
        "sk_live_ sk_test_ sk_prod_ rk_live_ rk_test_ rk_prod_",
        r"(?<!\w)(?P<secret>[sr]k_(?:live|test|prod)_[A-Za-z0-9]{16,}+)",
    ),
    secret_rule(
        "stripe",  # one in a hundred has no digit
        "sk_live_ sk_test_ sk_prod_ rk_live_ rk_test_ rk_prod_",
        r"(?<!\w)(?P<secret>[sr]k_(?:live|test|prod)_[a-z]{20,}+)(?!\w)",
        check.has_two_cases,
        scope="text",
    ),
    secret_rule("supabase", "sbp_", r"(?<!\w)(?P<secret>sbp_(?:v0_)?[0-9a-f]{40})(?!\w)"),
    secret_rule("supabase", "sb_secret_", r"(?<!\w)(?P<secret>sb_secret_[\w-]{24,60})(?![\w-])", check.is_mixed_secret),
    secret_rule(
        "tavily",
        "tvly-",
        r"(?<![\w-])(?P<secret>tvly-(?:dev-|prod-)?[A-Za-z0-9]{28,}+)(?![\w-])",
        check.is_mixed_secret,
    ),
    secret_rule("langsmith", "lsv2_", r"(?<!\w)(?P<secret>lsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10})(?!\w)"),
    secret_rule("figma", "figd_", r"(?<!\w)(?P<secret>figd_[\w-]{38,}+)", check.is_mixed_secret),
    secret_rule(
        "tailscale",
        "tskey-",
        r"(?<![\w-])(?P<secret>tskey-(?:auth|api|client|scim|webhook)-\w{8,40}-\w{16,60})(?![\w-])",
        check.is_mixed_secret,
    ),
    secret_rule("mailgun", "key-", r"(?<![\w-])(?P<secret>key-[0-9a-f]{32})(?!\w)", needs=("mailgun",)),
    secret_rule("npm", "npm_", r"(?<!\w)(?P<secret>npm_[A-Za-z0-9]{36})(?!\w)"),
    secret_rule("pypi", "pypi-", r"(?<![\w-])(?P<secret>pypi-[\w-]{50,}+)", check.is_mixed_secret),
    secret_rule(
        "huggingface", "hf_", r"(?<!\w)(?P<secret>hf_[A-Za-z0-9]{30,}+)(?!\w)", check.has_two_cases, scope="text"
    ),
    secret_rule("groq", "gsk_", r"(?<!\w)(?P<secret>gsk_[A-Za-z0-9]{40,}+)(?!\w)", check.is_mixed_secret),
    secret_rule("xai", "xai-", r"(?<![\w-])(?P<secret>xai-[A-Za-z0-9]{60,}+)(?!\w)", check.is_mixed_secret),
    secret_rule("replicate", "r8_", r"(?<!\w)(?P<secret>r8_[A-Za-z0-9]{37,40})(?!\w)", check.is_mixed_secret),
    secret_rule("webhook-secret", "whsec_", r"(?<!\w)(?P<secret>whsec_[A-Za-z0-9+/]{24,200}+={0,2})"),
    secret_rule(
        "twilio",
        " ".join(f"sk{digit}" for digit in "0123456789abcdef"),
        r"(?<!\w)(?P<secret>SK[0-9a-f]{32})(?!\w)",
    ),
    secret_rule("notion", "secret_", r"(?<!\w)(?P<secret>secret_[A-Za-z0-9]{43})(?!\w)", check.is_mixed_secret),
    secret_rule(
        "discord",
        _DISCORD,
        r"(?<![\w-])(?P<secret>[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,45})(?![\w-])",
        check.is_mixed_secret,
    ),
    secret_rule(
        "discord",
        "discord.com/api/webhooks/ discordapp.com/api/webhooks/",
        r"discord(?:app)?\.com/api/webhooks/\d+/(?P<secret>[\w-]{40,}+)",
    ),
    secret_rule("telegram", ":aa", r"(?P<secret>(?<!\w)\d{8,10}:AA[\w-]{32,33})(?![\w-])", begins=False),
    secret_rule("vault", "hvs.", r"(?<!\w)(?P<secret>hvs\.[\w-]{24,}+)", check.is_mixed_secret),
    secret_rule("square", "sq0atp- sq0csp-", r"(?<![\w-])(?P<secret>sq0(?:atp|csp)-[\w-]{22,60})"),
    secret_rule(
        "azure",
        "q~",
        r"(?<![\w.~-])(?P<secret>[\w.~]{3}\dQ~[\w.~-]{31,34})(?![\w.~-])",
        check.is_mixed_secret,
        begins=False,
    ),
    secret_rule("docker", "dckr_pat_ dckr_oat_", r"(?<!\w)(?P<secret>dckr_[po]at_[\w-]{24,}+)", check.is_mixed_secret),
    secret_rule("nvidia", "nvapi-", r"(?<![\w-])(?P<secret>nvapi-[\w-]{50,}+)", check.is_mixed_secret),
    secret_rule("pinecone", "pcsk_", r"(?<!\w)(?P<secret>pcsk_\w{40,}+)", check.is_mixed_secret),
    secret_rule(
        "atlassian",
        "atatt3 atctt3 atbb",
        r"(?<!\w)(?P<secret>AT(?:[AC]TT3[\w=-]{60,}+|BB\w{28,}+))",
        check.is_mixed_secret,
    ),
    secret_rule("e2b", "e2b_", r"(?<!\w)(?P<secret>e2b_[0-9a-f]{40})(?!\w)"),
    secret_rule("firecrawl", "fc-", r"(?<![\w-])(?P<secret>fc-[0-9a-f]{32})(?!\w)"),
    secret_rule("jina", "jina_", r"(?<!\w)(?P<secret>jina_[\w-]{40,}+)", check.is_mixed_secret),
    secret_rule("together", "tgp_v1_", r"(?<!\w)(?P<secret>tgp_v1_[\w-]{32,}+)", check.is_mixed_secret),
    secret_rule("render", "rnd_", r"(?<!\w)(?P<secret>rnd_[A-Za-z0-9]{24,}+)(?!\w)", check.is_mixed_secret),
    secret_rule("google", "aq.ab8", r"(?<![\w-])(?P<secret>AQ\.Ab8[\w-]{30,}+)"),
    secret_rule("neon", "napi_", r"(?<!\w)(?P<secret>napi_[a-z0-9]{40,}+)(?!\w)", check.is_random_key),
    secret_rule(
        "wallet-key", "xprv yprv zprv tprv", r"(?<!\w)(?P<secret>[xyzt]prv[1-9A-HJ-NP-Za-km-z]{100,112})(?!\w)"
    ),
    secret_rule("nostr", "nsec1", r"(?<!\w)(?P<secret>nsec1[02-9ac-hj-np-z]{58})(?!\w)"),
    secret_rule(
        "mailchimp",
        " ".join(f"-us{digit}" for digit in range(1, 10)),
        r"(?<!\w)(?P<secret>[0-9a-f]{32}-us\d{1,2})(?!\w)",
        begins=False,
    ),
    secret_rule(
        "cloudflare",
        "cfut_ cfat_ cfk_",
        r"(?<!\w)(?P<secret>cf(?:ut|at|k)_[A-Za-z0-9]{40,}+)(?!\w)",
        check.is_mixed_secret,
    ),
    secret_rule(
        "browserbase", "bb_live_ bb_test_", r"(?<!\w)(?P<secret>bb_(?:live|test)_[\w-]{20,}+)", check.is_mixed_secret
    ),
    secret_rule("voyage", "pa-", r"(?<![\w-])(?P<secret>pa-[\w-]{40,50})(?![\w-])", check.is_mixed_secret),
    secret_rule("langfuse", "sk-lf-", r"(?<![\w-])(?P<secret>sk-lf-[0-9a-f-]{36})(?![\w-])"),
    secret_rule(
        "vercel",
        "vcp_ vci_ vca_ vcr_ vck_",
        r"(?<!\w)(?P<secret>vc[piark]_[A-Za-z0-9]{24,}+)(?!\w)",
        check.is_mixed_secret,
    ),
    secret_rule("cerebras", "csk-", r"(?<![\w-])(?P<secret>csk-[a-z0-9]{40,}+)(?![\w-])", check.is_random_key),
    secret_rule("fireworks", "fw_", r"(?<!\w)(?P<secret>fw_[A-Za-z0-9]{22,24})(?!\w)", check.is_mixed_secret),
    secret_rule("posthog", "phx_", r"(?<!\w)(?P<secret>phx_[A-Za-z0-9]{40,}+)(?!\w)", check.is_mixed_secret),
    secret_rule(
        "vercel",
        "vercel_blob_rw_",
        r"(?<!\w)(?P<secret>vercel_blob_rw_[A-Za-z0-9]{12,}_?[A-Za-z0-9]{20,}+)(?!\w)",
        check.is_mixed_secret,
    ),
    secret_rule("new-relic", "nrak-", r"(?<![\w-])(?P<secret>NRAK-[A-Z0-9]{27})(?![\w-])"),
    secret_rule("facebook", "eaaa eaab eaac eaam", r"(?<!\w)(?P<secret>EAA[ABCM]\w{100,}+)", check.is_mixed_secret),
    secret_rule("resend", "re_", r"(?<!\w)(?P<secret>re_[A-Za-z0-9]{8}_[A-Za-z0-9]{24})(?!\w)", check.is_mixed_secret),
    secret_rule("apify", "apify_api_", r"(?<!\w)(?P<secret>apify_api_[A-Za-z0-9]{30,}+)(?!\w)", check.is_mixed_secret),
)
"""Keys that carry their issuer's mark."""


def gitleaks() -> tuple[SecretRule, ...]:
    """The rules taken from gitleaks."""
    text = (resources.files(__package__) / "data" / "secret_rules.json").read_text(encoding="utf-8")
    return tuple(
        SecretRule(
            kind=rule["kind"],
            cues=tuple(rule["cues"]),
            source=rule["pattern"],
            accept=check.with_entropy(rule["entropy"]) if rule["entropy"] else bool,
            begins=rule.get("begins", True),
        )
        for rule in json.loads(text)
    )
