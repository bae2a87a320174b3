"""A journey as a tree of lines: blocks, states, tables and actions as they lie in each other, copies where they were made."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from weir.trace import words
from weir.trace.journey import Copy, Journey
from weir.trace.steps import Place, Step
from weir.trace.words import Words

_QUIET = ("verify checksums", "update checksums")
"""Blocks that are worth a line only if something happened in them."""


@dataclass
class Node:
    """A line of the tree, and what lies below it.

    Attributes:
        kind: the kind of its first step.
        words: what stands there, piece by piece, each with how it looks.
        place: where it stands in the source.
        children: the lines below.
        steps: the steps that it tells.
    """

    kind: str
    words: Words
    place: Place | None = None
    children: list[Node] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)

    @property
    def text(self) -> str:
        """Its words without looks."""
        return "".join(word for word, _ in self.words)


def tree(journey: Journey) -> Node:
    """The tree of a journey."""
    copies = {copy.number: _Build(copy, journey) for copy in journey.copies.values()}
    for step in journey.steps:
        build = copies[step.copy]
        build.take(step)
        if step.kind == "copied" and build.copy.parent is not None:
            copies[build.copy.parent].fork(build)
    for build in copies.values():
        _tidy(build.root)
    return copies[journey.root.number].root


def without(node: Node, steps: Collection[int]) -> Node | None:
    """The tree without what tells only steps of these (by ``id``); None if nothing is left."""
    children = [kept for child in node.children if (kept := without(child, steps)) is not None]
    if not children and all(id(step) in steps for step in node.steps):
        return None
    return Node(node.kind, node.words, node.place, children, node.steps)


class _Build:
    """Builds the tree of one copy."""

    def __init__(self, copy: Copy, journey: Journey) -> None:
        self.copy = copy
        self.root = Node("copy", words.first(copy.steps[0], journey))
        self._passes = 0
        # Where blocks, queues and copies of the pass under way stand.
        self._pass = self.root
        # What has begun in the pass and is not over: a block, a state in it, an action, an extern.
        self._open: list[Node] = []
        # A table whose action has not begun yet.
        self._applied: Node | None = None
        self._selected: list[Step] = []

    def fork(self, copy: _Build) -> None:
        """A copy was made here."""
        copy._passes = self._passes
        last = self._pass.children[-1] if self._pass.children else None
        of_group = last is not None and last.kind == "multicast"
        (last if last is not None and of_group else self._pass).children.append(copy.root)

    def take(self, step: Step) -> None:
        """Puts a step where it belongs."""
        match step.kind:
            case "received":
                self.root.steps.append(step)
                self.root.children.append(Node("bytes", words.packet(step.what["bytes"]), None, [], [step]))
            case "copied":
                self.root.steps.append(step)
            case "pass":
                self._passes += 1
                self._open = []
                self._pass.steps.append(step)
            case "resubmitted" | "recirculated":
                self._open = []
                self._pass = Node(step.kind, words.again(step, self._passes + 1), None, [], [step])
                self.root.children.append(self._pass)
            case "block":
                self._open = []
                self._begin(step)
            case "state":
                del self._open[1:]
                self._begin(step)
            case "action":
                self._action(step)
            case "called":
                self._begin(step)
                if words.is_long(self._open[-1].words):
                    # The source line says it all.
                    self._open[-1].words = [self._open[-1].words[0], ("(…)", "")]
            case "action_ended" | "returned":
                if len(self._open) > 1:
                    self._open.pop()
            case "selected":
                self._selected.append(step)
            case "applied":
                self._applied = self._leaf(step)
                self._applied.children += [Node("key", line) for line in words.table(step)]
                self._applied.children += [
                    Node("selected", words.of(one), None, [], [one]) for one in self._selected
                ]
                self._selected = []
            case "assigned" if self._in_extern and step.what["now"].number == step.what["before"].number:
                pass
            case "vanished" if self._in_extern:
                # An extern gives all fields of a header back, those of an invalid one too.
                pass
            case "logged" | "digest" | "drawn" if self._in_extern:
                # That says more than the call.
                self._open[-1].words = words.of(step)
                self._open[-1].steps.append(step)
            case "extracted" if words.is_long(words.of(step)):
                node = self._leaf(step)
                node.words = words.of(step)[:2]
                node.children += [Node("fields", line) for line in words.wrapped(step.what["fields"])]
            case "emitted":
                self._emitted(step)
            case "dequeued":
                self._open = []
                self._left_queue(step)
            case "queued" | "multicast" | "not_cloned" | "transmitted" | "dropped":
                self._open = []
                self._leaf(step)
            case _:
                self._leaf(step)

    @property
    def _in_extern(self) -> bool:
        return bool(self._open) and self._open[-1].kind == "called"

    def _leaf(self, step: Step) -> Node:
        node = Node(step.kind, words.of(step), step.place, [], [step])
        (self._open[-1] if self._open else self._pass).children.append(node)
        return node

    def _begin(self, step: Step) -> None:
        self._open.append(self._leaf(step))

    def _action(self, step: Step) -> None:
        applied, self._applied = self._applied, None
        if applied is None or applied.steps[0].what["action"] != step.what["action"]:
            return self._begin(step)
        node = Node("action", words.of(step), step.place, [], [step])
        applied.children.append(node)
        self._open.append(node)

    def _emitted(self, step: Step) -> None:
        above = self._open[-1] if self._open else self._pass
        last = above.children[-1] if above.children else None
        if last is not None and last.kind == "emitted" and last.place == step.place:
            last.words = [*last.words, (f", {step.what['header']}", "name")]
            last.steps.append(step)
        else:
            self._leaf(step)

    def _left_queue(self, step: Step) -> None:
        for node in reversed(self._pass.children):
            if node.kind == "queued":
                node.words = words.queue(node.steps[0], step)
                node.steps.append(step)
                return


def _tidy(node: Node) -> None:
    for child in node.children:
        _tidy(child)
    node.children = [child for child in node.children if child.children or not _is_quiet(child)]


def _is_quiet(node: Node) -> bool:
    return node.kind == "block" and node.text in _QUIET
