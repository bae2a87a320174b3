"""The messages of a page, and what the session does for each."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from weir.errors import NetworkError, shown
from weir.ui.actions import Command, EntryChange, LinkChange
from weir.ui.view import node_view

if TYPE_CHECKING:
    from weir.ui.session import Session

MAX_CHARACTERS: Final = 100_000
"""The maximum length of a message in characters."""

_MAX_LINE: Final = 2000
"""The maximum length of a command in characters."""


def answer(session: Session, text: str) -> dict[str, Any] | None:
    """Does what a page asks for.

    Args:
        session: the session.
        text: the message, a JSON object whose member ``type`` says what is asked for.

    Returns:
        The answer, if there is one besides the new state.

    Raises:
        WeirError: the message cannot be read, or the session refuses it.
    """
    try:
        message = json.loads(text)
        # Halves of surrogate pairs are valid in JSON, but no text of the core has them.
        json.dumps(message, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise NetworkError("expected a message in Unicode, found half of a surrogate pair") from None
    except (ValueError, RecursionError):
        raise NetworkError("expected a message in JSON") from None
    if not isinstance(message, dict):
        raise NetworkError(f"expected a message with a type, found {shown(message)}")
    read = _Reader(message)
    match message.get("type"):
        case "play":
            session.play(read.number("speed"))
        case "pause":
            session.pause()
        case "skips":
            session.skips = read.flag("value")
        case "step":
            session.step(read.text("by"))
        case "go":
            session.go(read.whole("time_ns"))
        case "link":
            setting = read.text("setting")
            value = read.flag("value") if setting == "up" else read.text("value")
            session.act(LinkChange(read.whole("link"), setting, value))
        case "entry":
            session.act(
                EntryChange(
                    read.text("switch"),
                    read.text("table"),
                    read.text("change"),
                    read.texts("match"),
                    read.text("action"),
                    read.texts("params"),
                    None if message.get("priority") is None else read.whole("priority"),
                )
            )
            return {"type": "node", "node": node_view(session.network, read.text("switch"))}
        case "command":
            session.act(Command(read.text("host"), read.text("line")))
        case "node":
            return {"type": "node", "node": node_view(session.network, read.text("name"))}
        case "packet":
            number = read.whole("number")
            flight = session.frames.find(number)
            if flight is None:
                raise NetworkError(f"packet {number} is not among the last ones: go back to its time")
            return {"type": "packet", "packet": session.traces.packet_view(flight)}
        case kind:
            raise NetworkError(f"there is no message of type {shown(kind)}")
    return None


class _Reader:
    """Reads the members of a message.

    Every method raises :class:`NetworkError` if the member is missing or has another type.
    """

    def __init__(self, message: dict[str, Any]) -> None:
        self._message = message

    def text(self, name: str) -> str:
        value = self._message.get(name)
        if not isinstance(value, str) or len(value) > _MAX_LINE:
            raise self._error(name, f"a text of at most {_MAX_LINE} characters")
        return value

    def texts(self, name: str) -> dict[str, str]:
        value = self._message.get(name)
        if not isinstance(value, dict) or not all(isinstance(one, str) for one in value.values()):
            raise self._error(name, "texts by name")
        return value

    def whole(self, name: str) -> int:
        value = self._message.get(name)
        if not isinstance(value, int) or isinstance(value, bool):
            raise self._error(name, "a whole number")
        return value

    def number(self, name: str) -> float:
        value = self._message.get(name)
        if not isinstance(value, (int, float)) or isinstance(value, bool) or abs(value) > 1e18:
            raise self._error(name, "a number")
        return float(value)

    def flag(self, name: str) -> bool:
        value = self._message.get(name)
        if not isinstance(value, bool):
            raise self._error(name, "true or false")
        return value

    def _error(self, name: str, expected: str) -> NetworkError:
        return NetworkError(f"{name}: expected {expected}, found {shown(self._message.get(name))}")
