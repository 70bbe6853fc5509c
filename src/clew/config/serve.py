"""The settings of the server `clew serve`."""

from dataclasses import dataclass

from clew.config.declare import NO_FLOOR, setting


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeConfig:
    """What `clew serve` listens on, where it forwards to, and what it adds: docs/proxy.md."""

    host: str = setting("127.0.0.1", "Address to listen on; any other than loopback needs a token.")
    port: int = setting(8377, "Port to listen on; 0 takes a free one.", low=0, high=65_535)
    token: str = setting(
        "none",
        "Token that clients must send as X-Clew-Token: itself, env:NAME, sha256:HEX, or none.",
        form=r"none|env:[A-Za-z_]\w*|sha256:[0-9a-fA-F]{64}|[\x21-\x7e]+",
        secret=True,
    )
    tokens: tuple[str, ...] = setting(
        (),
        "Further tokens, each for one space, as SPACE=TOKEN or SPACE:SCOPE+SCOPE=TOKEN, in the forms of `serve.token`.",
        secret=True,
    )
    hosts: tuple[str, ...] = setting(
        (), "Host names by which clients may call the server, besides loopback and `serve.host`."
    )
    origins: tuple[str, ...] = setting((), "Origins of web pages that may call the server, such as https://chat.local.")
    upstream_anthropic: str = setting(
        "https://api.anthropic.com", "Provider to which requests below /anthropic are forwarded."
    )
    upstream_openai: str = setting("https://api.openai.com", "Provider to which requests below /openai are forwarded.")
    upstream_gemini: str = setting(
        "https://generativelanguage.googleapis.com", "Provider to which requests below /gemini are forwarded."
    )
    inject: bool = setting(True, "Add remembered text to questions; off: record only.")
    tools: bool = setting(False, "Offer Clew's tools to the model in conversations that do not say otherwise.")
    aliases: bool = setting(False, "Offer the tools under Virtual Context's names, vc_*, instead of clew_*.")
    allow_forget: bool = setting(
        False, "Offer MCP's tool that deletes turns also where there is no token, whose scopes decide otherwise."
    )
    commands: bool = setting(False, "Answer commands that are typed into a chat, such as `clew status`.")
    window: int = setting(
        0,
        "Tokens of the model's real context window, when clients believe in a larger one; 0: forward what they send.",
        low=0,
        high=1_000_000_000,
    )
    prices: str = setting(
        "", "File with prices and cache rules of models, before those of the package (docs/proxy.md)."
    )
    budget: int = setting(1_500, "Most tokens of an added block.", low=0, high=1_000_000)
    floor: float = setting(
        0.0,
        "Turns without a word of the question that score no more than this by its own signals are left out of a block.",
        low=NO_FLOOR,
        high=100,
    )
    patience: float = setting(
        1.0, "Seconds that a request waits for the memory; then it goes on without a block.", low=0.01, high=60
    )
    threads: int = setting(4, "Threads that work on memories for requests.", low=1, high=256)
    read_bytes: int = setting(
        32 << 20, "Bytes of a chat request above which it is forwarded without being read.", low=1024, high=1 << 31
    )
    keep_days: int = setting(
        365,
        "Days after which hashes of a conversation's messages, blocks no longer put back, and requests of the ledger "
        "go; 0 keeps them.",
        low=0,
        high=36_500,
    )
    rate: int = setting(0, "Requests a minute for each token; 0: no limit.", low=0, high=1_000_000)
    workers: int = setting(1, "Processes that serve; more than one needs PostgreSQL.", low=1, high=256)
