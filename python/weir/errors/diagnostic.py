"""The compiler's findings about P4 programs."""

from __future__ import annotations

from dataclasses import dataclass

from weir import _core
from weir._core import Label, Suggestion
from weir.display.palette import ANY
from weir.text.visible import visible, visible_line

_TONES = {"error": ANY["red"], "warning": ANY["orange"], "note": ANY["blue"]}


@dataclass(frozen=True, repr=False)
class Diagnostic:
    """A finding of the compiler about a P4 program.

    Attributes:
        severity: ``error``, ``warning`` or ``note``.
        id: the stable name of the kind of finding.
        message: the problem, in one sentence.
        file: the name of the file; ``None`` if the finding has no place.
        line: the line from 1; 0 if the finding has no place.
        column: the column in characters from 1; 0 if the finding has no place.
        rendered: the whole finding as readable text, with its source lines.
        labels: the places of the finding, with the main place first.
        notes: further sentences.
        suggestions: possible corrections.
    """

    severity: str
    id: str
    message: str
    file: str | None
    line: int
    column: int
    rendered: str
    labels: tuple[Label, ...] = ()
    notes: tuple[str, ...] = ()
    suggestions: tuple[Suggestion, ...] = ()

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}: {self.severity}: {self.message}"

    def __repr__(self) -> str:
        return f"<weir.Diagnostic {self}>"

    def _html(self) -> str:
        """Renders the finding with its source lines as HTML, with a border in the colour of its
        severity."""
        from weir.display import code

        tone = _TONES.get(self.severity, ANY["blue"])
        style = f"border-left:4px solid {tone};padding-left:0.7em;margin:0.4em 0"
        return f'<div style="{style}">{code(self.rendered.rstrip())}</div>'

    def _repr_html_(self) -> str:
        from weir.display import titled_output

        return titled_output("", self._html())


def diagnostic(d: _core.Diagnostic) -> Diagnostic:
    """Converts a finding from the form that the core returns."""
    return Diagnostic(
        d.severity,
        d.id,
        d.message,
        d.file,
        d.line,
        d.column,
        _visible_rendered(d),
        d.labels,
        d.notes,
        d.suggestions,
    )


def _visible_rendered(d: _core.Diagnostic) -> str:
    """Returns the finding as text in which names of files and messages have no control characters.

    The text has colours, and a name could contain the same escapes.
    """
    places = [d.file or "", *(label.place[0] for label in d.labels), *(s.place[0] for s in d.suggestions)]
    messages = [d.message, *d.notes, *(label.message for label in d.labels)]
    text = d.rendered
    for raw, escaped in [(name, visible_line(name)) for name in places] + [(m, visible(m)) for m in messages]:
        if raw != escaped:
            text = text.replace(raw, escaped)
    return text
