"""How programs are told apart, as data: what opens their headers, instructions and requests for themselves.

docs/proxy.md says where each fact comes from. A mark is a few literal words of a program's own request that
nobody types by chance; a program whose words have changed is taken for an unknown one, whose requests are turns.
"""

from dataclasses import dataclass
from typing import Final

from clew.serve.proxy.exchange import SideRequest

AGENTS: Final = (
    ("claude-cli/", "claude-code"),
    ("claude-code/", "claude-code"),
    ("codex", "codex"),
    ("geminicli", "gemini-cli"),
    ("cursor/", "cursor"),
    ("opencode", "opencode"),
    ("cline/", "cline"),
    ("roo-code", "roo-code"),
    ("aider", "aider"),
    ("librechat/", "librechat"),
    ("open webui", "open-webui"),
    ("continue/", "continue"),
    ("openai/", "openai-sdk"),
    ("asyncopenai/", "openai-sdk"),
    ("anthropic/", "anthropic-sdk"),
    ("asyncanthropic/", "anthropic-sdk"),
    ("google-genai-sdk/", "google-genai-sdk"),
)
"""What `User-Agent` begins with, in lower case -> name; the libraries of the vendors last."""

SDKS: Final = frozenset(("openai-sdk", "anthropic-sdk", "google-genai-sdk"))
"""Names that tell what a program is built with rather than what it is."""

HEADERS: Final = (
    ("x-claude-code-session-id", "claude-code"),
    ("x-openwebui-chat-id", "open-webui"),
    ("x-openwebui-user-id", "open-webui"),
    ("x-openwebui-user-jwt", "open-webui"),
    ("x-codex-turn-metadata", "codex"),
    ("x-codex-window-id", "codex"),
    ("x-opencode-session", "opencode"),
    ("x-cline-version", "cline"),
)
"""Headers that one program alone sends -> its name."""

TITLES: Final = (("cline", "cline"), ("roo code", "roo-code"), ("aider", "aider"), ("opencode", "opencode"))
"""Values of `X-Title`, which tells OpenRouter and its like who asks, in lower case -> name."""

INSTRUCTIONS: Final = (
    ("You are Claude Code", "claude-code"),
    ("x-anthropic-billing-header:", "claude-code"),
    ("You are Gemini CLI", "gemini-cli"),
    ("You are Codex", "codex"),
    ("You are a coding agent running in the Codex CLI", "codex"),
    ("You are Cline,", "cline"),
    ("You are Roo,", "roo-code"),
    ("You are opencode", "opencode"),
    ("You are an expert AI programming assistant, working with a user in the VS Code editor", "copilot"),
    ("Act as an expert software developer.", "aider"),
)
"""What the instructions begin with -> name."""

IN_INSTRUCTIONS: Final = (("You operate in Cursor", "cursor"), ("You operate exclusively in Cursor", "cursor"))
"""Words in the first 400 characters of the instructions -> name."""

SUBAGENTS: Final = (
    "You are an agent for Claude Code,",
    "You are a file search specialist for Claude Code,",
    "You are a software architect and planning specialist for Claude Code,",
)
"""What a line of the instructions of Claude Code's own sub-agents begins with; the main agent names itself."""

SUBAGENT_NOTES: Final = "\n- Agent threads always have their cwd reset between bash calls"
"""What Claude Code adds to the instructions of every sub-agent, also of those that people define, since version 2."""

OLD_MAIN: Final = ("claude-cli/1.", "(external, cli)", "You are an interactive CLI tool")
"""What `User-Agent` of Claude Code 1 at a terminal begins with and holds; then what its main agent is told."""

CONVERSATIONS: Final = ("x-conversation-id", "x-chat-id", "x-openwebui-chat-id", "x-opencode-session")
"""Headers whose value is one conversation, whoever sends them."""

METADATA: Final = ("conversation_id", "session_id", "thread_id", "chat_id")
"""Members of a request's `metadata` whose value is one conversation; never those that name a user."""

FOLDERS: Final = (
    "Primary working directory: ",
    "Working directory: ",
    "<cwd>",
    "I'm currently working in the directory: ",
    "**Workspace Directories:**\n  - ",
    "Workspace Path: ",
    "# Current Working Directory (",
)
"""What stands before the folder in which a program works."""

TELL_FOLDERS: Final = frozenset(("claude-code", "opencode", "codex", "gemini-cli", "cursor", "cline", "roo-code"))
"""Programs that tell the folder in which they work."""


@dataclass(frozen=True, slots=True)
class SideMark:
    """Words by which a request that a program makes for itself is known.

    Attributes:
        words: what the text, or one of the first lines of the instructions, begins with.
        where: `instructions`, or `question`: the last text of a user's message that is the last of all.
        client: the program, when its name is not known otherwise.
    """

    words: str
    where: str
    kind: SideRequest
    client: str = ""


_TITLE, _COMPACTION, _OTHER = SideRequest.TITLE, SideRequest.COMPACTION, SideRequest.AUXILIARY

SIDE_MARKS: Final = (
    SideMark("Analyze if this message indicates a new conversation topic", "instructions", _TITLE, "claude-code"),
    SideMark("Summarize this coding conversation in under", "instructions", _TITLE, "claude-code"),
    SideMark("Generate a concise, sentence-case title", "instructions", _TITLE, "claude-code"),
    SideMark("Please write a 5-10 word title for the following conversation", "question", _TITLE, "claude-code"),
    SideMark("Your task is to process Bash commands that an AI coding agent", "instructions", _OTHER, "claude-code"),
    SideMark("Extract any file paths that this command reads or modifies", "instructions", _OTHER, "claude-code"),
    SideMark("You are an expert at analyzing git history.", "instructions", _OTHER, "claude-code"),
    SideMark("[SUGGESTION MODE:", "question", _OTHER, "claude-code"),
    SideMark("Web page content:\n---", "question", _OTHER, "claude-code"),
    SideMark("Perform a web search for the query:", "question", _OTHER, "claude-code"),
    SideMark("The user stepped away and is coming back.", "question", _OTHER, "claude-code"),
    SideMark("Your task is to create a detailed summary of the conversation so far", "question", _COMPACTION),
    SideMark("CRITICAL: Respond with TEXT ONLY. Do NOT call any tools.", "question", _COMPACTION, "claude-code"),
    SideMark("You are a helpful AI assistant tasked with summarizing conversations", "instructions", _COMPACTION),
    SideMark("You are performing a CONTEXT CHECKPOINT COMPACTION", "question", _COMPACTION, "codex"),
    SideMark("You are a specialized Task Routing AI", "instructions", _OTHER, "gemini-cli"),
    SideMark("Analyze *only* the content and structure of your immediately", "question", _OTHER, "gemini-cli"),
    SideMark("You are a diagnostic agent that determines whether a conv", "instructions", _OTHER, "gemini-cli"),
    SideMark(
        "You are an expert code-editing assistant specializing in debugging", "instructions", _OTHER, "gemini-cli"
    ),
    SideMark("Summarize the following tool output to be a maximum", "question", _OTHER, "gemini-cli"),
    SideMark("Summarize the user's primary intent or goal in this conv", "question", _TITLE, "gemini-cli"),
    SideMark(
        "You are a specialized system component responsible for distilling", "instructions", _COMPACTION, "gemini-cli"
    ),
    SideMark("You are the component that summarizes internal chat history", "instructions", _COMPACTION, "gemini-cli"),
    SideMark("### Task:\nGenerate a concise, 3-5 word title", "question", _TITLE, "open-webui"),
    SideMark("### Task:\nGenerate 1-3 broad tags", "question", _TITLE, "open-webui"),
    SideMark("### Task:\nSuggest 3-5 relevant follow-up", "question", _TITLE, "open-webui"),
    SideMark("### Task:\nAnalyze the chat history to determine the necessity", "question", _OTHER, "open-webui"),
    SideMark("### Task:\nGenerate a detailed prompt", "question", _OTHER, "open-webui"),
    SideMark("### Task:\nYou are an autocompletion system", "question", _OTHER, "open-webui"),
    SideMark("Your task is to reflect the speaker's likely facial", "question", _OTHER, "open-webui"),
    SideMark("Your task is to choose and return the correct tool(s)", "instructions", _OTHER, "open-webui"),
    SideMark("Return an empty string if no tools match the query", "instructions", _OTHER, "open-webui"),
    SideMark("You have been provided with a set of responses from various models", "question", _OTHER, "open-webui"),
    SideMark("Provide a concise, 5-word-or-less title for the conversation", "question", _TITLE, "librechat"),
    SideMark("Analyze this conversation and provide:\n1. The detected language", "question", _TITLE, "librechat"),
    SideMark("Please generate a concise title (max 40 characters)", "question", _TITLE, "librechat"),
    SideMark("Summarize the conversation by integrating new lines into", "question", _COMPACTION, "librechat"),
    SideMark("Summarize the conversation by integrating new lines into", "instructions", _COMPACTION, "librechat"),
    SideMark("# Current Chat:\n\n", "question", _OTHER, "librechat"),
    SideMark("Use the `set_memory` tool to save important information about the", "instructions", _OTHER, "librechat"),
    SideMark("You are an expert in crafting pithy titles", "instructions", _TITLE, "copilot"),
    SideMark("You are an expert in crafting ultra-compact titles", "instructions", _TITLE, "copilot"),
    SideMark("Provide a detailed prompt for continuing our conversation above", "question", _COMPACTION, "opencode"),
    SideMark("You are a title generator. You output ONLY a thread title", "instructions", _TITLE, "opencode"),
    SideMark("Generate a title for this conversation:", "question", _TITLE, "opencode"),
    SideMark("*Briefly* summarize this partial conversation about programming", "instructions", _COMPACTION, "aider"),
    SideMark("You are an expert software engineer that generates concise", "instructions", _OTHER, "aider"),
    SideMark("Given the following... please reply with a title for the chat", "question", _TITLE, "continue"),
)
