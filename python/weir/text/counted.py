"""Phrases with a number and a noun."""


def count_noun(number: int, noun: str) -> str:
    """Returns a number with a noun, such as ``1 switch`` or ``2 switches``."""
    return f"{number} {noun}{'' if number == 1 else 'es' if noun.endswith('ch') else 's'}"
