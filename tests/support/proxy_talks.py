"""Requests of chat programs for tests: bodies with their messages' places, and a talk that grows by relayed answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from clew.memory import Memory
from clew.serve.proxy.exchange import Answer, ChatRequest, ClientMark
from clew.serve.proxy.history.conversations import Conversation, Conversations
from clew.serve.proxy.history.memorize import ConversationLog
from clew.store.selections import SESSION_NAME
from clew.store.turn_selections import TURN_SEQ
from clew.types.ids import turn_id
from tests.support.chat_requests import chat_request

Message = dict[str, Any]
Asked = tuple[Conversation, ChatRequest]
"""A request that was stored, and waits for its answer."""

NOBODY = ClientMark()


def user(text: str) -> Message:
    """A message of the user."""
    return {"role": "user", "content": text}


def assistant(text: str) -> Message:
    """An answer."""
    return {"role": "assistant", "content": text}


class Proxied:
    """What the proxy does with a memory, without the network."""

    def __init__(self, memory: Memory, wire: str = "openai") -> None:
        self.memory, self.wire = memory, wire
        self.restart()

    def restart(self) -> None:
        """Begins anew, as another process would."""
        self.conversations = Conversations(self.memory.parts)
        self.memorizer = ConversationLog(self.memory.parts, self.conversations)

    def ask(
        self,
        messages: Sequence[Message],
        client: ClientMark = NOBODY,
        *,
        header: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Asked:
        """A request on its way in."""
        request = replace(chat_request(self.wire, messages), headers=dict(headers or {}))
        found = self.conversations.identify(request, client, header)
        return self.memorizer.store_request(found, request, client), request

    def answered(
        self,
        asked: Asked,
        *answer: Message,
        client: ClientMark = NOBODY,
        complete: bool = True,
    ) -> tuple[str, ...]:
        """Its answer on the way out."""
        said = Answer(answer, complete=complete, model="m")
        return self.memorizer.store_answer(*asked, client, said).result

    def exchange(
        self, messages: Sequence[Message], answer: Message, client: ClientMark = NOBODY, header: str | None = None
    ) -> Conversation:
        """Both."""
        asked = self.ask(messages, client, header=header)
        self.answered(asked, answer, client=client)
        return asked[0]

    def stored(self, session: str) -> list[str]:
        """The texts of a session, in order of arrival, with the branch before a colon where there is one."""
        turns = [self.memory.restore(name) for name in self.ids(session)]
        return [f"{turn.branch}: {turn.text}" if turn.branch else turn.text for turn in turns]

    def ids(self, session: str) -> list[str]:
        """The ids of a session's turns."""
        with self.memory.reads.store.snapshot() as reader:
            space = self.memory.reads.space
            return [turn_id(session, seq) for seq in TURN_SEQ.scan(reader, (space, session), (space, session))]

    def sessions(self) -> list[str]:
        """The names of all sessions."""
        with self.memory.reads.store.snapshot() as reader:
            space = self.memory.reads.space
            return list(SESSION_NAME.scan(reader, (space,), (space,)))


@dataclass
class Talk:
    """A client's conversation, whose history it sends with every question."""

    proxied: Proxied
    client: ClientMark = NOBODY
    header: str | None = None
    messages: list[Message] = field(default_factory=list)

    def says(self, question: str, answer: str) -> Conversation:
        """One exchange."""
        self.messages.append(user(question))
        conversation = self.proxied.exchange(self.messages, assistant(answer), self.client, self.header)
        self.messages.append(assistant(answer))
        return conversation
