"""The tools that an agent may call: recall, quotes, recall by time, facts, topics, and notes. Start at `Tools`.

A tool takes text and whole numbers, and returns text of bounded length. Recalled text is always inside a block that
marks it as quoted memory. Borders: knows no protocol, `clew.serve.mcp` serves the tools; the space is
chosen where the server is started, never by the caller.
"""

from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote

from clew.assemble.excerpt import around
from clew.assemble.fact_lines import fact_lines
from clew.assemble.render import Evidence, chronological, quoted, render
from clew.errors import InputError, NotFoundError
from clew.memory import Memory
from clew.memory.arguments import given_session
from clew.recall.session_names import is_session, session_meant, session_shown_as
from clew.recall.sessions import NOTES_SOURCE, ProjectFilter, latest_name
from clew.rows.fact_progress import read_fact_progress, unread_turns
from clew.serve.agent_tools.answers import period_answer, recall_answer, session_list, turn_page
from clew.serve.agent_tools.file_decisions import code_decisions
from clew.serve.agent_tools.other_tools import OF_MCP, OtherTools
from clew.serve.agent_tools.past_answer import past_answer
from clew.serve.agent_tools.quoting import NotTraceable, quotes
from clew.serve.agent_tools.tool import Tool
from clew.serve.agent_tools.topics import OTHERS, all_topics, collapsed, expanded, known_topics
from clew.text.counted import counted
from clew.types.moments import MODES
from clew.types.turn import Turn

MOST_TOKENS: Final = 8_000
"""Most tokens of one answer."""

RECAP_TOKENS: Final = 2_000
"""Most tokens of a recap: half of that of a compaction, since the client's own context is not compacted."""

MOST_QUOTES: Final = 20
"""Most turns that one answer quotes."""

QUOTE_CHARS: Final = 600
"""Most characters shown of a turn, around the phrase."""

MOST_SESSIONS: Final = 20
"""Most sessions that one answer lists."""

MOST_FACTS: Final = 30
"""Most facts that one answer lists."""

EVER: Final = "all"
"""A value of the argument `status`: also the facts of a subject that no longer hold."""

NAME_CHARS: Final = 200
"""Most characters of a conversation's name that a note is given; every answer repeats it."""

BUDGET: Final = f"up to {MOST_TOKENS} tokens"
"""Description of the argument `budget`; 0, which a call that leaves it out means, is the tool's default."""

NOTES: Final = "notes"
"""The default conversation for notes."""


def _now() -> datetime:
    return datetime.now(UTC)  # noqa: TID251  # a note is said when it is stored


class Tools:
    """The tools over one open memory. Threads may share them."""

    def __init__(
        self,
        memory: Memory,
        *,
        session: str = NOTES,
        may_store: bool = True,
        may_forget: bool = False,
        local: bool = True,
        others: OtherTools = OF_MCP,
        clock: Callable[[], datetime] = _now,
    ) -> None:
        """Creates the tools; notes are stored in `session`, with the time of `clock`.

        Args:
            may_store: whether the tools that store are offered.
            may_forget: whether the tool that deletes turns is offered.
            local: whether the agent works in this process's current folder, whose project is then preferred.
            others: the tools that results point to.

        Raises:
            InputError: no session can have that name.
        """
        self._memory, self._session, self._clock = memory, given_session(session), clock
        self._may_store, self._may_forget, self._local, self._others = may_store, may_forget, local, others

    def warm_up(self) -> None:
        """Loads the index and the embedder's model ahead of the first call."""
        self._memory.warm_up()

    def offered(self) -> tuple[Tool, ...]:
        """The tools in the order in which they are listed."""
        tools = (*self._searching(), *self._by_topic(), *((self._forgetting(),) if self._may_forget else ()))
        return tuple(tool for tool in tools if self._may_store or not tool.stores)

    def _searching(self) -> tuple[Tool, ...]:
        return (
            Tool(
                "recall",
                self.recall,
                "Search earlier conversations by meaning and words. Use it before you answer about past work, "
                "decisions, people or preferences.",
                {"query": "question, in full words", "budget": BUDGET, "session": "only this conversation"},
            ),
            Tool(
                "find_quote",
                self.find_quote,
                "Find the newest turns with an exact phrase: name, error, path, number.",
                {"text": "the phrase", "limit": f"up to {MOST_QUOTES}"},
            ),
            Tool(
                "remember_when",
                self.remember_when,
                "What was said in a period that the query names, or since and until.",
                {
                    "query": "question; may name the period: 'what did we decide last week?'",
                    "since": "'2023-05-07', '3 hours ago'",
                    "until": "end; a day, week or month counts as a whole",
                    "mode": " | ".join(MODES),
                    "budget": BUDGET,
                },
            ),
            Tool(
                "remember",
                self.remember,
                "Store one note for later conversations: a decision, preference or fact. Never secrets.",
                {"text": "the note, with names instead of pronouns", "session": "conversation that it belongs to"},
                stores=True,
            ),
            Tool(
                "open",
                self.open,
                "Show in full a turn that recall shortened or left out; of a session, its recap.",
                {"id": "a turn, such as 'plans:7', or a session", "offset": "first character"},
            ),
            Tool(
                "sessions",
                self.sessions,
                "List earlier sessions, for recall and open: title, project, branch, time.",
                {"project": "folder name or path", "branch": "git branch"},
            ),
        )

    def _by_topic(self) -> tuple[Tool, ...]:
        return (
            Tool(
                "recall_past_conversation",
                self.recall_past_conversation,
                "Answer a question from earlier conversations, with sources.",
                {"query": "question, in full words"},
            ),
            Tool(
                "expand_topic",
                self.expand_topic,
                "Read all that was said about a topic. recall_all lists topics.",
                {
                    "topic": "its name",
                    "collapse": f"topics to show in short instead, comma-separated, or '{OTHERS}'",
                    "offset": "first turn",
                    "budget": BUDGET,
                },
            ),
            Tool(
                "recall_all",
                self.recall_all,
                "List all topics with summaries. For broad questions: everything about, how often, which.",
                {"budget": BUDGET},
            ),
            Tool(
                "query_facts",
                self.query_facts,
                "What is known about a person or thing now, with sources.",
                {
                    "subject": "who or what; me: the user",
                    "verb": "such as 'lives in'",
                    "object": "words of it",
                    "status": f"such as planned or completed; {EVER}: also past facts",
                },
            ),
            Tool(
                "file_decisions",
                self.file_decisions,
                "Decisions about a file or function.",
                {"about": "path or name"},
            ),
            Tool(
                "restore",
                self.restore,
                "Get what a stub in the conversation stands for, byte for byte.",
                {"ref": "the stub's reference, or a turn's id", "offset": "first character"},
            ),
        )

    def _forgetting(self) -> Tool:
        return Tool(
            "forget",
            self.forget,
            "Delete turns permanently. Only when the user asks, after showing the user what goes.",
            {"ids": "turn ids, space-separated"},
            stores=True,
            destroys=True,
        )

    def open(self, id: str, offset: int = 0) -> str:  # noqa: A002 - the name that a model expects
        """A turn in full, in pages; the recap of a session, where no turn has this id."""
        _need(id, "id", "the id of a turn or session")
        if offset < 0:
            raise InputError(f"offset {offset} is negative; give 0 for the beginning")
        try:
            turn = self._memory.restore(id.strip())
        except (InputError, NotFoundError) as error:
            try:
                return self._recap(id.strip(), offset)
            except NotFoundError as no_session:
                if isinstance(error, NotFoundError):
                    raise error from None
                raise NotFoundError(f"{no_session}. A turn's id is a session and a number, as 'plans:7'") from None
        _check_offset(offset, turn.text, "turn")
        quotes([NotTraceable if turn.id is None else turn.id])
        return turn_page(turn, offset)

    def sessions(self, project: str = "", branch: str = "") -> str:
        """The latest sessions, one a line, marked as quoted memory."""
        project_name, branch_name = project.strip() or None, branch.strip() or None
        return session_list(self._memory.sessions(project=project_name, branch=branch_name, limit=MOST_SESSIONS))

    def brief(self) -> str:
        """What the project of the current folder was about last time, marked as quoted memory."""
        text = (self._memory.brief(project=str(Path.cwd())) if self._local else "") or self._memory.brief()
        return quoted(text) if text else "Nothing is remembered yet."

    def recap(self) -> str:
        """The recap of the last session of the current folder's project, else of all, marked as quoted memory."""
        path = self._memory.reads
        look = partial(latest_name, path.store, path.space, path.live.view(), path.clock())
        session = (look(ProjectFilter(str(Path.cwd()))) if self._local else None) or look()
        return "Nothing is remembered yet." if session is None else self.recap_of(session)

    def recap_of(self, session: str) -> str:
        """The recap of a session, marked as quoted memory."""
        return self._recap(unquote(session))

    def _recap(self, session: str, offset: int = 0) -> str:
        name = session_meant(self._memory.reads, session)
        text = self._memory.recap(name, budget=RECAP_TOKENS, until_now=True).text
        _check_offset(offset, text, "recap")
        quotes([NotTraceable])
        return quoted(text[offset:]) if text else "Nothing was said in that session."

    def forget(self, ids: str) -> str:
        """Deletes turns for good."""
        _need(ids, "ids", "the ids of turns")
        report = self._memory.forget(turn_ids=ids.split())
        return f"Deleted {counted(report.turns, 'turn')} and everything derived from them."

    def recall(self, query: str, budget: int = 0, session: str = "") -> str:
        """The block of remembered turns for a question."""
        _need(query, "query", "a question or topic")
        context = self._memory.recall(query, budget=self._budget(budget), **self._only(session))
        return recall_answer(self._memory, context)

    def _only(self, session: str) -> dict[str, Any]:
        return {"session": session_meant(self._memory.reads, session.strip())} if session.strip() else {}

    def recall_past_conversation(self, query: str) -> str:
        """An answer with sources where a language model is configured and answers well; else the block of `recall`."""
        _need(query, "query", "what you want to know")
        context = self._memory.recall(query, budget=self._budget(0))
        return past_answer(self._memory, query, context) or recall_answer(self._memory, context)

    def expand_topic(self, topic: str, collapse: str = "", offset: int = 0, budget: int = 0) -> str:
        """The turns of a topic in full, then in short the topics that the call collapses."""
        _need(topic, "topic", "the name of a topic")
        most = self._topic_budget(budget)
        names = [name.strip() for name in collapse.split(",") if name.strip()]
        short = collapsed(self._memory, topic, names, most // 4) if names else ""
        if names and not short:
            raise InputError(f"no topic to collapse is called {collapse!r:.80}; {known_topics(self._memory, collapse)}")
        full = expanded(self._memory, topic, offset, most * 3 // 4 if short else most)
        return f"{full}\nCollapsed:\n{short}" if short else full

    def recall_all(self, budget: int = 0) -> str:
        """All topics with summaries."""
        return all_topics(self._memory, self._topic_budget(budget)) or self._others.instead_of_topics

    def topics(self) -> str:
        """All topics with summaries, in the tokens of one answer."""
        return self.recall_all()

    def file_decisions(self, about: str) -> str:
        """What was decided about a file or symbol, and what may be out of date, marked as quoted memory."""
        _need(about, "about", "the path of a file, or the name of a function or class")
        decisions = self._memory.decisions(about)
        quotes(decision.turn for decision in decisions)
        if not decisions:
            return f"Nothing was decided about it that is remembered. Try {self._others.wider}."
        return code_decisions(decisions)

    def query_facts(self, subject: str = "", verb: str = "", object: str = "", status: str = "") -> str:  # noqa: A002  # as in `Memory.facts`
        """Facts, one a line with the turns that state them, marked as quoted memory."""
        who, does, what, state = (value.strip() or None for value in (subject, verb, object, status))
        if not (who or does or what or state):
            raise InputError("subject, verb, object and status are empty; give at least one of them")
        if state == EVER and who is None:
            raise InputError(f"status {EVER} needs a subject; give whom or what it is about")
        if state == EVER:
            facts = self._memory.history(who or "", does)
            shown = facts[-MOST_FACTS:]
        else:
            facts = self._memory.facts(who, does, what, state, limit=MOST_FACTS + 1)
            shown = facts[:MOST_FACTS]
        quotes(source for fact in shown for source in fact.sources)
        answer = quoted(fact_lines(shown)) if shown else self._others.instead_of_facts
        more = "\nThere are older ones; give more conditions to see them." if len(facts) > len(shown) else ""
        return f"{answer}{more}{self._unread()}"

    def _unread(self) -> str:
        """A line that counts the turns that were not read for facts yet; empty where all were."""
        reads = self._memory.reads
        with reads.store.snapshot() as reader:
            count = unread_turns(reader, reads.space, read_fact_progress(reader, reads.space))
        return f"\nTurns not read for facts yet: {count}; {self._others.wider} finds their words." if count else ""

    def restore(self, ref: str, offset: int = 0) -> str:
        """What a reference stands for, in pages."""
        _need(ref, "ref", "the reference of a stub, or the id of a turn")
        return self.open(ref, offset)

    def find_quote(self, text: str, limit: int = 5) -> str:
        """The turns that contain a phrase, each cut to the text around it."""
        _need(text, "text", "the phrase to find")
        if not 1 <= limit <= MOST_QUOTES:
            raise InputError(f"limit {limit} is out of range; give 1 to {MOST_QUOTES}")
        turns = self._memory.find_quote(text, limit=limit)
        quotes(str(turn.id) for turn in turns)
        if not turns:
            return f"No turn contains that phrase. Try fewer words{self._others.by_meaning}."
        passages = [Evidence.of(turn, around(turn.text, text, QUOTE_CHARS), "quote") for turn in turns]
        more = f"\nThere may be older ones; ask with a limit up to {MOST_QUOTES}."
        return render(chronological(passages)) + (more if len(turns) == limit < MOST_QUOTES else "")

    def remember_when(
        self, query: str = "", since: str = "", until: str = "", mode: str = "auto", budget: int = 0
    ) -> str:
        """What was said in a period of time."""
        period = self._memory.remember_when(
            query, since.strip() or None, until.strip() or None, mode, budget=self._budget(budget)
        )
        quotes(moment.ref if moment.kind == "turn" else NotTraceable for moment in period.moments)
        return period_answer(period, self._others.wider)

    def remember(self, text: str, session: str = "") -> str:
        """Stores a note durably and returns its id."""
        _need(text, "text", "what to remember")
        name = self._noted_in(session.strip()) if session.strip() else self._session
        note = Turn(role="assistant", content=text, session=name, at=self._clock(), source=NOTES_SOURCE)
        return f"Stored as {self._memory.add(note)}."

    def _noted_in(self, session: str) -> str:
        """The conversation that a note is stored in: the one of this name or short name, else a new one."""
        if len(session) > NAME_CHARS:
            raise InputError(f"session {session!r:.60} has {len(session):,} characters; give at most {NAME_CHARS}")
        reads = self._memory.reads
        return session if is_session(reads, session) else session_shown_as(reads, session) or session

    def _topic_budget(self, asked: int) -> int:
        return self._budget(asked or MOST_TOKENS)

    def _budget(self, asked: int) -> int:
        if not 0 <= asked <= MOST_TOKENS:
            raise InputError(f"budget {asked} is out of range; give 1 to {MOST_TOKENS}, or 0 for the default")
        return asked or min(self._memory.config.budget, MOST_TOKENS)


def _check_offset(offset: int, text: str, what: str) -> None:
    if offset >= max(1, len(text)):
        raise InputError(f"offset {offset} is behind the end; the {what} has {len(text):,} characters, from 0")


def _need(text: str, name: str, what: str) -> None:
    if not text.strip():
        raise InputError(f"{name} is empty; give {what}")
