"""The trace of a packet as a tree: blocks, states, tables, actions and copies."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from weir._core import Place, Step
from weir.trace import step_text
from weir.trace.record import Copy, Record
from weir.trace.step_text import Words

_MAX_EMITTED = 16
"""The maximum number of emitted headers that the line of a deparser names."""

_FIRST_PASSES, _LAST_PASSES = 12, 4
"""The numbers of first and of last passes that are shown; the passes between them are left out."""

_MAX_COPY_DEPTH = 16
"""The maximum depth to which copies of copies are shown."""

_OPTIONAL_BLOCKS = ("verify checksums", "update checksums")
"""The blocks that are left out of the tree if no step happened in them."""


@dataclass
class Node:
    """A line of the tree, with the lines below it.

    Attributes:
        kind: the kind of the first step on the line.
        words: the text of the line in parts, each with a style.
        place: the location in the source.
        children: the lines below.
        steps: the steps that the line shows.
    """

    kind: str
    words: Words
    place: Place | None = None
    children: list[Node] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The text of the line without styles."""
        return "".join(word for word, _ in self.words)


def tree(journey: Record) -> Node:
    """Builds the tree of a journey."""
    copies = {copy.number: _TreeBuilder(copy, journey) for copy in journey.copies.values()}
    for step in journey.steps:
        build = copies[step.copy]
        build.take(step)
        if step.kind == "copied" and build.copy.parent is not None:
            copies[build.copy.parent].fork(build)
    for build in copies.values():
        build.end()
        _remove_empty_blocks(build.root)
        _shorten(build.root)
    return copies[journey.root.number].root


def without_steps(node: Node, steps: Collection[int]) -> Node | None:
    """Removes the lines that show only the given steps (by ``id``); returns ``None`` if no line
    remains."""
    children = [
        remaining for child in node.children if (remaining := without_steps(child, steps)) is not None
    ]
    if not children and all(id(step) in steps for step in node.steps):
        return None
    return Node(node.kind, node.words, node.place, children, node.steps)


class _TreeBuilder:
    """Builds the tree of one copy."""

    def __init__(self, copy: Copy, journey: Record) -> None:
        self.copy = copy
        self.root = Node("copy", step_text.first_line(copy.steps[0], journey))
        self._passes = 0
        self._generation = 0
        # The copies that are nested too deeply to be shown. All copies of a packet share this list.
        self._deeper: list[Copy] = []
        # The node that is the parent of the blocks, queues and copies of the current pass.
        self._pass = self.root
        # The unfinished parts of the pass: a block, a state in the block, an action, an extern.
        self._open: list[Node] = []
        # The table whose action has not begun yet.
        self._applied: Node | None = None
        self._selected: list[Step] = []

    def fork(self, copy: _TreeBuilder) -> None:
        """Adds the tree of a copy of this packet below the step that made the copy."""
        copy._passes = self._passes
        copy._generation = self._generation + 1
        if copy._generation > _MAX_COPY_DEPTH:
            copy._deeper = self._deeper
            self._deeper.append(copy.copy)
            return
        last = self._pass.children[-1] if self._pass.children else None
        of_group = last is not None and last.kind == "multicast"
        (last if last is not None and of_group else self._pass).children.append(copy.root)

    def end(self) -> None:
        """Adds a line for the copies that are nested too deeply to be shown."""
        if self._deeper and self._generation <= _MAX_COPY_DEPTH:
            count = "a copy" if len(self._deeper) == 1 else f"{len(self._deeper)} copies"
            steps = [step for copy in self._deeper for step in copy.steps]
            self.root.children.append(
                Node("copies", [(f"… and {count} of this copy or of its copies", "fork")], None, [], steps)
            )

    def take(self, step: Step) -> None:
        """Adds a step at its place in the tree."""
        match step.kind:
            case "received":
                self.root.steps.append(step)
                self.root.children.append(
                    Node("bytes", step_text.packet(step.what["bytes"]), None, [], [step])
                )
            case "copied":
                self.root.steps.append(step)
            case "pass":
                self._passes += 1
                self._open = []
                self._pass.steps.append(step)
            case "resubmitted" | "recirculated":
                self._open = []
                self._pass = Node(step.kind, step_text.pass_line(step, self._passes + 1), None, [], [step])
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
                if step_text.is_long(self._open[-1].words):
                    # The source line already shows the values.
                    self._open[-1].words = [self._open[-1].words[0], ("(…)", "")]
            case "action_ended" | "returned":
                if len(self._open) > 1:
                    self._open.pop()
            case "selected":
                self._selected.append(step)
            case "applied":
                self._applied = self._add_leaf(step)
                self._applied.children += [Node("key", line) for line in step_text.table(step)]
                self._applied.children += [
                    Node("selected", step_text.step_words(selected), None, [], [selected])
                    for selected in self._selected
                ]
                self._selected = []
            case "assigned" if self._is_in_extern and step.what["now"].number == step.what["before"].number:
                pass
            case "assigned_invalid" if self._is_in_extern:
                # An extern returns all fields of a header, even of a header that is not valid.
                pass
            case "logged" | "digest" | "drawn" if self._is_in_extern:
                # The step's text says more than the call.
                self._open[-1].words = step_text.step_words(step)
                self._open[-1].steps.append(step)
            case "extracted" if step_text.is_long(step_text.step_words(step)):
                node = self._add_leaf(step)
                node.words = step_text.step_words(step)[:2]
                node.children += [Node("fields", line) for line in step_text.wrap_values(step.what["fields"])]
            case "emitted":
                self._add_emit(step)
            case "dequeued":
                self._open = []
                self._complete_queue_line(step)
            case "queued" | "multicast" | "not_cloned" | "transmitted" | "dropped":
                self._open = []
                self._add_leaf(step)
            case _:
                self._add_leaf(step)

    @property
    def _is_in_extern(self) -> bool:
        return bool(self._open) and self._open[-1].kind == "called"

    def _add_leaf(self, step: Step) -> Node:
        node = Node(step.kind, step_text.step_words(step), step.place, [], [step])
        (self._open[-1] if self._open else self._pass).children.append(node)
        return node

    def _begin(self, step: Step) -> None:
        self._open.append(self._add_leaf(step))

    def _action(self, step: Step) -> None:
        applied, self._applied = self._applied, None
        if applied is None or applied.steps[0].what["action"] != step.what["action"]:
            return self._begin(step)
        node = Node("action", step_text.step_words(step), step.place, [], [step])
        applied.children.append(node)
        self._open.append(node)

    def _add_emit(self, step: Step) -> None:
        above = self._open[-1] if self._open else self._pass
        last = above.children[-1] if above.children else None
        if last is not None and last.kind == "emitted" and last.place == step.place:
            last.steps.append(step)
            if len(last.steps) <= _MAX_EMITTED:
                last.words.append((f", {step.what['header']}", "name"))
            else:
                del last.words[_MAX_EMITTED + 1 :]
                last.words.append((f" … and {len(last.steps) - _MAX_EMITTED} more", ""))
        else:
            self._add_leaf(step)

    def _complete_queue_line(self, step: Step) -> None:
        for node in reversed(self._pass.children):
            if node.kind == "queued":
                node.words = step_text.queue(node.steps[0], step)
                node.steps.append(step)
                return


def _remove_empty_blocks(node: Node) -> None:
    for child in node.children:
        _remove_empty_blocks(child)
    node.children = [child for child in node.children if child.children or not _is_optional(child)]


def _shorten(root: Node) -> None:
    """Replaces the middle passes by one line if there are very many passes."""
    passes = [node for node in root.children if node.kind in ("resubmitted", "recirculated")]
    hidden = passes[_FIRST_PASSES:-_LAST_PASSES]
    if len(hidden) < 2:
        return
    steps = [step for node in hidden for step in _all_steps(node)]
    placeholder = Node("passes", [(f"… {len(hidden)} more passes", "time")], None, [], steps)
    unseen = {id(node) for node in hidden}
    place = next(place for place, node in enumerate(root.children) if node is hidden[0])
    root.children = [node for node in root.children if id(node) not in unseen]
    root.children.insert(place, placeholder)


def _all_steps(node: Node) -> list[Step]:
    return [*node.steps, *(step for child in node.children for step in _all_steps(child))]


def _is_optional(node: Node) -> bool:
    return node.kind == "block" and node.text in _OPTIONAL_BLOCKS
