"""The conversation that a request belongs to: found again, compared with what is stored of it, its new turns stored.

Start at `conversations.Conversations`, which finds it, and at `memorize.ConversationLog`, which stores.
"""
