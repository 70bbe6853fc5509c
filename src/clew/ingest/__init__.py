"""The outside's shapes -> turns: importers, identity, secrets, media, export. Nothing here touches a store."""
