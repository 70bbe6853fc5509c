"""Recognises the programs that send requests, their own ids of conversations, and requests that are no turn of one."""

from clew.serve.proxy.exchange import ChatRequest, ClientMark


def recognised(request: ChatRequest) -> ClientMark:
    """What a request tells of the program that sent it."""
    del request
    return ClientMark()
