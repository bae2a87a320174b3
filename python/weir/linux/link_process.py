"""The process ``weir link``, which delays, drops and changes frames between the ends of links."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from typing import TYPE_CHECKING, Any, Final

from weir.errors import NetworkError
from weir.linux.namespaces import Namespaces, own_environment
from weir.linux.pending_answers import PendingAnswers

if TYPE_CHECKING:
    from weir._core_qdisc import Correlations, JitterModel, LossModel

_TIMES: Final = {
    "uniform": ("Uniform", "most"),
    "around": ("UniformAround", "spread"),
    "normal": ("Normal", "sigma"),
    "exponential": ("Exponential", "mean"),
    "pareto": ("Pareto", "scale"),
    "pareto around": ("ParetoAround", "sigma"),
    "pareto normal around": ("ParetoNormalAround", "sigma"),
}


class LinkProcess:
    """A running ``weir link --control``.

    Args:
        namespaces: the network's namespaces; the process runs in the outer one.
        seed: the seed of its random effects.
    """

    def __init__(self, namespaces: Namespaces, seed: int) -> None:
        command = [sys.executable, "-m", "weir", "link", "--control", "--seed", str(seed)]
        # Errors go to a file, because nothing reads the output while the process runs: a pipe would
        # fill up.
        self._errors = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")  # noqa: SIM115
        pipe = subprocess.PIPE
        self._process = namespaces.run(
            None, command, stdin=pipe, stdout=pipe, stderr=self._errors, environment=own_environment()
        )
        self._pending = PendingAnswers(1)
        self._read()

    def add(self, links: list[dict[str, Any]]) -> None:
        """Adds links, each with its ends and its name."""
        self._ask({"add": links})

    def change(self, link: str, settings: dict[str, Any]) -> None:
        """Changes the settings of a link, from the next frame on."""
        self._ask({"change": {"name": link, **settings}})

    def statistics(self) -> list[dict[str, Any]]:
        """Requests the frame counts of all links."""
        answer: list[dict[str, Any]] = self._ask({"statistics": []})["statistics"]
        return answer

    def sample(self, link: str, direction: str, every_ns: int) -> int:
        """Starts to sample the queue of a link's direction; returns the sampler's number."""
        request = {"name": link, "direction": direction, "every": _format_time(every_ns)}
        number: int = self._ask({"sample": request})["sampler"]
        return number

    def samples(self, sampler: int) -> list[list[int]]:
        """Returns the samples so far: for each the time on the monotonic clock, the waiting, sent
        packets, sent bytes, dropped and marked packets."""
        rows: list[list[int]] = self._ask({"samples": sampler})["samples"]
        return rows

    def stop_sampler(self, sampler: int) -> None:
        """Ends sampling; the samples remain."""
        self._ask({"stop": sampler})

    def close(self) -> None:
        """Ends the process."""
        self._process.kill()
        self._process.communicate()
        self._errors.close()

    def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            pass
        self._pending.count_question()
        return self._read()

    def _read(self) -> dict[str, Any]:
        """Reads the answer to the last request."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        while line and not self._pending.count_answer():
            line = self._process.stdout.readline()
        if not line:
            self._pending.forget()
            self._errors.seek(0)
            raise NetworkError(f"the links' process has ended: {self._errors.read().strip()[-2000:]}")
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise NetworkError(answer["error"])
        return answer


def jitter(model: JitterModel) -> dict[str, Any] | None:
    """Converts jitter to the form that requests to the link process use."""
    kind, times = model.kind, model.times
    if kind == "none":
        return None
    if kind == "table":
        return {"Table": {"times": [_format_time(time) for time in times]}}
    name, field = _TIMES[kind]
    return {name: {field: _format_time(times[0]), **({"shape": model.shape} if kind == "pareto" else {})}}


def loss(model: LossModel) -> str | dict[str, Any]:
    """Converts loss to the form that requests to the link process use."""
    shares, numbers = model.shares, model.numbers
    match model.kind:
        case "random":
            return share(shares[0])
        case "gilbert-elliott":
            names = ("enter", "leave", "good", "bad")
            return {"GilbertElliott": dict(zip(names, map(share, shares), strict=True))}
        case "four states":
            names5 = ("p13", "p31", "p32", "p23", "p14")
            return {"FourState": dict(zip(names5, map(share, shares), strict=True))}
        case "every":
            return {"Every": {"n": numbers[0]}}
    return {"Frames": {"numbers": numbers}}


def correlation(correlations: Correlations) -> dict[str, str]:
    """Converts correlations to the form that requests to the link process use."""
    names = ("jitter", "loss", "duplicate", "reorder", "corrupt")
    return {name: share(getattr(correlations, name)) for name in names}


def reorder(row: tuple[float, int] | None) -> list[str] | None:
    """Converts reordering to the form that requests to the link process use."""
    return None if row is None else [share(row[0]), _format_time(row[1])]


def share(value: float) -> str:
    """Formats a probability as a percentage, such as ``2.5%``."""
    return f"{100 * value:.12g}%"


def _format_time(nanoseconds: int) -> str:
    return f"{nanoseconds}ns"
