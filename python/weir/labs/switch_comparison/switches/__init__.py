"""The switches under test: what each is, whether it is here, how it starts."""
