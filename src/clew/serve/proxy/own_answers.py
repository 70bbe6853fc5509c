"""Commands typed into a chat, around the pipeline: answered here, and taken out of what goes on."""

from dataclasses import replace

from clew.serve.proxy.chats import Chat, PreparedChat
from clew.serve.proxy.clients import recognised
from clew.serve.proxy.commands import CleanedRequest, Command, Commands, answered, without_commands
from clew.serve.proxy.exchange import ChatRequest
from clew.serve.proxy.history.conversation_lookup import named_by
from clew.serve.proxy.pipeline import Pipeline


class CommandedPipeline(Pipeline):
    """The pipeline for chats in which commands may stand. Threads share it."""

    def store(self, chat: Chat, request: ChatRequest) -> PreparedChat:
        """A request without its commands, with its place in the memory, or the answer to its command."""
        if chat.options.incognito or not self._config.commands:
            return super().store(chat, request)
        cleaned = without_commands(chat.wire, request)
        if cleaned.attached is not None and not chat.options.session:
            chat = replace(chat, options=replace(chat.options, session=cleaned.attached))
        if cleaned.command is not None and chat.ticket.take():
            return self._commanded(chat, request, cleaned, cleaned.command)
        kept = cleaned.request or request
        stored = super().store(chat, kept)
        return replace(stored, body=kept.body) if kept is not request else stored

    def _commanded(self, chat: Chat, request: ChatRequest, cleaned: CleanedRequest, command: Command) -> PreparedChat:
        space = self._spaces.get(chat.principal.space)
        asked = cleaned.request or request
        client = recognised(asked)
        conversation = space.conversations.identify(asked, client, chat.options.session)
        is_known = named_by(client, chat.options.session) is not None or not conversation.fresh
        session = conversation.session if is_known else ""
        text = Commands(space.memory, chat.principal, session).answer(command)
        return PreparedChat(reply=answered(chat.wire, request, text), session=session or None)
