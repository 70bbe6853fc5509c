"""Recognise command lines: in prose, in fences, after prompts, and in the arguments of tool calls."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from clew.text.late_pattern import late_pattern

PROGRAMS: Final = frozenset(
    (
        "ab adb alembic ansible apk apt apt-get argocd awk aws az base64 bash bazel bg brew buck bun bundle cabal "
        "cap cargo cat cd cdk celery chmod chown clang cmake composer conda consul convert cp cron crontab crystal "
        "ctest curl cut cypress dart date dd deno df diff dig django-admin docker docker-compose doctl dotnet du "
        "dune dvc echo eksctl ember env erl eslint esy expo export fastlane fdisk ffmpeg fg find flask flutter fly "
        "free g++ gatsby gcc gcloud gdb gem gh ghc git glab go gradle grep groups gunicorn head helm heroku hg "
        "host htop httpie hub huggingface-cli hugo hyperfine id iex ifconfig ip iptables istioctl java javac jest "
        "journalctl jq julia jupyter just k9s kill kind kotlinc kubectl kustomize lein lerna less linkerd "
        "linode-cli lldb ln ls lsof lua luarocks make md5sum minikube mint mise mix mkdir mlflow mocha mongo mount "
        "mv mvn mypy mysql nano nc netlify netstat next ng nginx nim ninja nmap node nohup nomad npm npx nslookup "
        "nuxt nvm nx ollama opam openssl packer pandoc passwd pdm perl php phx ping pip pip3 pipenv pipx pkill "
        "playwright pnpm pod podman poetry pre-commit prettier printf ps psql pulumi pwd pytest python python3 "
        "rails rake react-native rebar3 redis-cli remix rg rm rsync ruby ruff rustc rustup sam sbt scala scons scp "
        "screen sed serverless service sh sha256sum skaffold sls snap sops sort source sqlite3 ssh ssh-keygen "
        "stack strace streamlit sudo supabase svn swift swiftlint systemctl tail tar task tee terraform time "
        "timeout tmux top touch tox tr traceroute tree tsc turbo ufw uname uniq unzip useradd uv uvicorn vagrant "
        "valgrind vault vercel vi vim vite vitest vue watch wc wget which whoami xargs xcodebuild xxd yarn yum zig "
        "zip zsh"
    ).split()
)
"""First words of command lines."""

_ASSIGNMENT: Final = late_pattern(r"[A-Z_][A-Z0-9_]{0,40}=\S{0,80}$")
_SHELL_FENCE: Final = late_pattern(r"^```(?:bash|sh|shell|console|zsh)[^\S\n]*\n([^`]{1,2000})", re.MULTILINE)
_LINE: Final = late_pattern(r"[^\n]+")
# The value of an argument in JSON, whose own quotes are escaped; the text may end inside it.
_ARGUMENT: Final = late_pattern(r'"(?:command|cmd|script|shell_command)"\s{0,4}:\s{0,4}"((?:[^"\\]|\\.){2,1000})')
_PROMPTS: Final = ("$", "❯", "%", "Command:")
_PROMPT: Final = late_pattern(
    r"^(?:\[[\w:-]{1,30}\][^\S\n])?[^\S\n]{0,8}(?:(?:\$|❯|%)[^\S\n]+|Command:[^\S\n]+)([^\n]{2,300})", re.MULTILINE
)
_QUOTED: Final = late_pattern(r'"(?<!\\")([a-z][\w.+-]{1,20} [^"\n]{2,120})"')


_SHELL: Final = re.compile(
    r"(?:[^\n]{0,200}[/\\])?(?:sh|bash|zsh|dash|ash|ksh|fish|pwsh|powershell|cmd)(?:\.exe)?", re.IGNORECASE
)
_SCRIPT_OPTION: Final = re.compile(r"-[a-z]{0,3}c|-command|/c", re.IGNORECASE)


def command_of(words: Sequence[str]) -> str:
    """A command that is given as a list of words: the script that a shell is to run, else the words on one line.

    `["bash", "-lc", "make test"]`, as Codex calls its shell, is the command `make test`.
    """
    if len(words) == 3 and _SHELL.fullmatch(words[0]) and _SCRIPT_OPTION.fullmatch(words[1]):
        return words[2]
    return " ".join(words)


def is_command(line: str) -> bool:
    """Whether a line starts with a known program and gives it something to do, or runs a script by its path."""
    words = line.split(None, 3)
    while words and _ASSIGNMENT.match(words[0]):
        words = words[1:]
    if not words:
        return False
    first = words[0]
    return (first in PROGRAMS and not all(word.startswith("-") for word in words[1:])) or first.startswith("./")


def command_spans(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of each command line outside of backticks."""
    for match in _ARGUMENT.finditer(text):
        if " " in match[1].strip():
            yield match.span(1)
    for match in _PROMPT.finditer(text) if any(map(text.__contains__, _PROMPTS)) else ():
        if match[0].lstrip()[0] != "%" or is_command(match[1]):
            yield match.span(1)
    for match in _SHELL_FENCE.finditer(text) if "```" in text else ():
        for line in _LINE.finditer(match[1]):
            said = line[0].lstrip(" $")
            if said and not said.startswith("#"):
                end = match.start(1) + line.end()
                yield end - len(said), end
    for match in _QUOTED.finditer(text):
        if is_command(match[1]):
            yield match.span(1)
