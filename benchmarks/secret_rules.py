"""Makes `clew/ingest/secrets/data/secret_rules.json` from gitleaks. Run `python -m benchmarks.secret_rules FILE`.

FILE is gitleaks' `config/gitleaks.toml`. It takes the rules whose secret itself carries an issuer's mark. It leaves out
rules that only look for a name near a random string, which would mask hashes and ids, and those in `OURS`, for which
`clew.ingest.secrets.rules` has its own. RE2 syntax becomes Python's. NOTICE beside the file names both hashes.
"""

import json
import re
import sys
import tomllib
from pathlib import Path
from typing import Any, Final

TARGET: Final = Path(__file__).parents[1] / "src/clew/ingest/secrets/data/secret_rules.json"
NEAR_A_NAME: Final = r"[\w.-]{0,50}?"
"""The beginning of rules for a name near any random string."""

OURS: Final = re.compile(
    r"(?:anthropic|openai|aws-access|github|gitlab-(?:pat|deploy|ptt|rrt|runner)|slack|gcp-api|huggingface-access|npm|"
    r"pypi|stripe|jwt$|azure|airtable|private-key|curl|twilio|nuget|sidekiq|pkcs12|freemius|kubernetes|square|facebook|"
    r"sourcegraph|vault-service|aws-amazon-bedrock-api-key-short|flutterwave-public)"
)
CUES: Final = {
    "cloudflare-origin-ca-key": ["v1.0-"],
    "intra42-client-secret": ["s-s4t2ud-", "s-s4t2af-"],
    "microsoft-teams-webhook": ["webhook.office.com"],
}
"""Cues that are part of the secret, for rules whose keywords are the issuer's name."""
_END: Final = re.compile(r"\(\?:(?:\[\\x60'\"\\s;\]\|\\\\\[nr\]\|\$(?:\|\\b)?|\[\^[^\]]+\]\|\\[zZ])\)$")
_LAST: Final = r"(?![A-Za-z0-9])"
_FIRST: Final = r"(?<![A-Za-z0-9])"


def python_pattern(pattern: str) -> str:
    """A pattern of RE2 in Python's syntax, with the secret in the group `secret` and word boundaries around it."""
    text = pattern.replace("[[:alnum:]]", "[A-Za-z0-9]").replace(r"\z", r"\Z")
    text = _END.sub(lambda _: _LAST, text)
    if text.startswith("(?i)"):
        text = f"(?i:{text[4:]})"
    while (place := text.find("(?i)")) >= 0:
        end = _group_end(text, place)
        text = f"{text[:place]}(?i:{text[place + 4 : end]}){text[end:]}"
    text = re.sub(r"\(\?P<(?!secret)\w+>", "(?:", text)
    group = re.search(r"(?<!\\)\((?!\?)", text)
    if group and group.start() <= len(r"(?i:\b"):
        text = f"{text[: group.start()]}(?P<secret>{text[group.end() :]}"
    else:
        text = f"(?P<secret>{text})"
    return text if r"\b" in text[:8] else _FIRST + text


def _group_end(text: str, start: int) -> int:
    """The index of the bracket that closes the group around `start`; the end of the text outside of any group."""
    depth = 0
    in_class = False
    place = start
    while place < len(text):
        character = text[place]
        if character == "\\":
            place += 1
        elif character == "[":
            in_class = True
        elif character == "]":
            in_class = False
        elif character == "(" and not in_class:
            depth += 1
        elif character == ")" and not in_class:
            depth -= 1
            if depth < 0:
                return place
        place += 1
    return len(text)


def begins(pattern: str, cues: list[str]) -> bool:
    """Whether a match begins with one of the cues, so that the rule is tried only at its places."""
    head = re.sub(r"\(\?P<secret>|\(\?i:|\(\?:|\(\?<!\[A-Za-z0-9\]\)|\\b|\(", "", pattern).replace("\\", "").lower()
    return any(head.startswith(cue.rstrip("_.")) for cue in cues)


def converted(rule: dict[str, Any]) -> dict[str, Any]:
    """One rule as it is stored."""
    pattern, cues = python_pattern(rule["regex"]), CUES.get(rule["id"], [cue.lower() for cue in rule["keywords"]])
    re.compile(pattern)
    found = {"kind": rule["id"], "cues": cues, "pattern": pattern, "entropy": rule.get("entropy", 0)}
    return found if begins(pattern, cues) else {**found, "begins": False}


def main(source: str) -> None:
    """Writes the file."""
    rules = tomllib.loads(Path(source).read_text(encoding="utf-8"))["rules"]
    taken = [
        converted(rule)
        for rule in rules
        if rule.get("regex") and NEAR_A_NAME not in rule["regex"] and not OURS.match(rule["id"])
    ]
    lines = ",\n".join(json.dumps(rule) for rule in taken)
    TARGET.write_text(f"[\n{lines}\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
