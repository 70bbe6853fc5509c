"""The wire formats of the model providers: what a message's content is made of."""
