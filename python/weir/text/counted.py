"""Numbers of things in words."""


def count_noun(number: int, noun: str) -> str:
    """A number of things, such as ``1 switch`` and ``2 switches``."""
    return f"{number} {noun}{'' if number == 1 else 'es' if noun.endswith('ch') else 's'}"
