"""Valid programs with mutations: mistakes of people, and worse."""

from __future__ import annotations

import functools
import random
import re
from pathlib import Path

from torture.case import Case
from torture.programs.run import text_case
from torture.programs.template import number

ROOT = Path(__file__).parents[3]
_TOKEN = re.compile(r"\s+|//[^\n]*|/\*.*?\*/|\w+|\"[^\"]*\"|[<>=!&|+.]{2,3}|.", re.DOTALL)


@functools.cache
def programs() -> list[Path]:
    """Our own programs that are meant to be valid, and files that they include."""
    paths = [
        path for folder in ("testdata", "tests", "labs/weir_labs") for path in ROOT.glob(f"{folder}/**/*.p4")
    ]
    return sorted(path for path in paths if not {"errors", "refused"} & set(path.parts))


@functools.cache
def tokens(path: Path) -> list[str]:
    """The tokens of a program, with spaces and comments as tokens of their own."""
    return _TOKEN.findall(path.read_text(encoding="utf-8"))


def mutated(chance: random.Random) -> Case:
    """A program with some tokens deleted, repeated, exchanged or taken from another program."""
    path = chance.choice(programs())
    text, other = list(tokens(path)), tokens(chance.choice(programs()))
    for _ in range(chance.choice([1, 1, 1, 2, 3, 10])):
        place = chance.randrange(len(text)) if text else 0
        length = chance.choice([1, 1, 1, 2, 5, 50])
        begin = chance.randrange(len(other)) if other else 0
        match chance.randrange(8):
            case 0:
                del text[place : place + length]
            case 1:
                text[place:place] = text[place : place + length] * chance.choice([1, 2, 50])
            case 2:
                text[place : place + 1] = other[begin : begin + length]
            case 3:
                text[place:place] = other[begin : begin + length]
            case 4:
                position = chance.randrange(len(text)) if text else 0
                if text:
                    text[place], text[position] = text[position], text[place]
            case 5:
                places = [i for i, token in enumerate(text) if token[0].isdigit()]
                if places:
                    text[chance.choice(places)] = number(chance)
            case 6:
                names = [i for i, token in enumerate(text) if token[0].isalpha()]
                if len(names) > 1:
                    text[chance.choice(names)] = text[chance.choice(names)]
            case _:
                if chance.random() < 0.1:
                    del text[place:]
    return text_case("mutated", "".join(text), [path.parent, path.parent.parent])
