"""Words in messages, and numbers in text."""
