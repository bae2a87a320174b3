"""Doc comments of Rust functions begin with verbs, and docstrings mark constants as code."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

_NOUN = (
    r"(?:(?:A|All|An|At|Before|Both|Each|Enough|Every|How|No|Nothing|One|Random|Same|The|True|Two|What|When"
    r"|Where|Whether|Which|Who|Why)\b|`)"
)
_COMMENT = rf"/// {_NOUN}[^\n]*\n(?:\s*///[^\n]*\n)*"
_ATTRIBUTES = r"(?:\s*#\[[^\n]*\]\n)*"
_FUNCTION = r"\s*(?:pub(?:\([^)]*\))? )?(?:(?:async|const|unsafe) )*fn (\w+)([^{};]*->[^{};]*)[{;]"

_SMALL_WORD = r"(a|an|and|are|by|for|from|is|it|its|of|that|the|this|to|which|whose|with)"
REPEATED = re.compile(rf"(?<![\w.`'\"-]){_SMALL_WORD}\s+(?:(?://[/!]?|#)\s+)?\1(?![\w'\"`(=.:,;)#/-])")
SUFFIXES = {".md", ".py", ".pyi", ".rs"}


def found(text: str) -> Iterator[tuple[int, str]]:
    """Yields the line and the name of each function whose doc comment begins with a noun."""
    lines = text.split("\n")
    for match in re.finditer(rf"({_COMMENT})({_ATTRIBUTES}){_FUNCTION}", text):
        line = text.count("\n", 0, match.start()) + 1
        follows_comment = line > 1 and lines[line - 2].lstrip().startswith("///")
        is_property = "getter" in match.group(2)
        returns_nothing = re.search(r"->\s*(?:Py)?Result<\(\)[,>]", match.group(4))
        if not (follows_comment or is_property or returns_nothing):
            yield line, match.group(3)


def test_doc_comments_of_functions_begin_with_verbs():
    wrong = [
        f"{path.relative_to(ROOT)}:{line}: {name}"
        for path in sorted((ROOT / "crates").rglob("*.rs"))
        for line, name in found(path.read_text(encoding="utf-8"))
    ]
    assert not wrong, "begin with a verb, such as 'Returns whether':\n" + "\n".join(wrong)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("/// The port.\nfn port(&self) -> Port {", ["port"]),
        ("    /// Whether it is\n    /// up.\n    #[inline]\n    pub fn is_up() -> bool {", ["is_up"]),
        ("/// `base` plus an offset.\nfn sum() -> u64 {", ["sum"]),
        ("/// Returns the port.\nfn port(&self) -> Port {", []),
        ("/// Takes a port.\n///\n/// # Errors\n/// The port is in use.\nfn take() -> Result<Port, E> {", []),
        ("/// The text form.\n#[getter]\nfn text(&self) -> String {", []),
        ("/// The controller leaves.\nfn leave(&mut self) {", []),
        ("/// The cell is set.\nfn set(&self) -> PyResult<()> {", []),
    ],
)
def test_the_pattern_finds_functions(text: str, names: list[str]):
    assert [name for _, name in found(text)] == names


def test_no_word_is_repeated():
    folders = ["crates", "docs", "labs", "python"]
    paths = [path for folder in folders for path in (ROOT / folder).rglob("*") if path.suffix in SUFFIXES]
    texts = {path: path.read_text(encoding="utf-8") for path in sorted(paths)}
    wrong = [
        f"{path.relative_to(ROOT)}:{text.count(chr(10), 0, match.start()) + 1}: {match.group()!r}"
        for path, text in texts.items()
        for match in REPEATED.finditer(text)
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(("text", "is_found"), [("number of of them", True), ("number of them", False)])
def test_the_pattern_finds_repeated_words(text: str, is_found: bool):
    assert bool(REPEATED.search(text)) == is_found
    assert bool(REPEATED.search(text.replace("of ", "of\n    /// ", 1))) == is_found


_CONSTANT = re.compile(r"(?<![\w`.=\[])(?:None|True|False)(?![\w`=\]])")


def bare_constants(text: str) -> Iterator[int]:
    """Yields the lines of docstrings with a constant that is not marked as code."""
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Expr(value=ast.Constant(value=str(docstring))):
                for number, line in enumerate(re.sub(r"``[^`]*``", "", docstring).split("\n")):
                    if _CONSTANT.search(line) and not line.lstrip().startswith((">>>", "...")):
                        yield node.lineno + number


def test_docstrings_mark_constants_as_code():
    folders = ["python/weir", "labs/weir_labs"]
    paths = [path for folder in folders for path in (ROOT / folder).rglob("*.py*") if path.suffix in SUFFIXES]
    wrong = [
        f"{path.relative_to(ROOT)}:{line}"
        for path in sorted(paths)
        for line in bare_constants(path.read_text(encoding="utf-8"))
    ]
    assert not wrong, "write ``None``, ``True`` and ``False`` in docstrings:\n" + "\n".join(wrong)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ('"""Returns a port. None removes it."""', [1]),
        ('def f():\n    """Runs.\n\n    True for all.\n    """', [4]),
        ('"""Returns a port; ``None`` if there is none, and ``x=None`` otherwise.\n\n>>> f(None)\n"""', []),
        ("# None is a comment.\nf(None)", []),
    ],
)
def test_the_pattern_finds_constants(text: str, lines: list[int]):
    assert list(bare_constants(text)) == lines


# Adjectives, verbs and metaphors that do not say which quantity a constant holds.
_VAGUE = (
    "BARE|DEEPEST|EVERY|FAR|FEW|FRESH|GOLDEN|GRACE|KEPT|KNOWN|LARGEST|LATEST|LIFE|LISTED|LOGGED|LONG"
    "|LONGEST|LOOKS?|MANY|MOST|NEAR|NOWHERE|OLDEST|OTHERS|OWN|PATIENCE|PORTION|QUIET|QUOTED|REST|ROOM"
    "|SHORT|SHORTEST|SHOWN|SLACK|SLIM|TAKEN|THIN|TOGETHER|TURNS?|USUAL"
)
VAGUE_NAME = re.compile(
    rf"^\s*(?:const|static) (?:{_VAGUE}):|^_(?:{_VAGUE})(?:_[MN]?S)?(?=\s*(?::[^=\n]*)?=)", re.M
)
UNNAMED = [f"crates/weir-{name}" for name in ("exec", "qdisc", "switch")]


def test_constants_name_their_quantity():
    """Public constants and tests are free to have such names."""
    paths = [
        *(ROOT / "crates").glob("*/src/**/*.rs"),
        *(ROOT / "python").rglob("*.py"),
        *(ROOT / "labs").rglob("*.py"),
    ]
    wrong = [
        f"{path.relative_to(ROOT)}:{text.count(chr(10), 0, match.start()) + 1}: {match.group().strip()}"
        for path in sorted(paths)
        if "tests" not in path.stem and not any(path.is_relative_to(ROOT / folder) for folder in UNNAMED)
        for text in [path.read_text(encoding="utf-8")]
        for match in VAGUE_NAME.finditer(text)
    ]
    assert not wrong, "name the quantity, such as MAX_FRAME_BYTES or _UPDATE_INTERVAL_S:\n" + "\n".join(wrong)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("const PATIENCE: Duration = X;", 1),
        ("    const SHOWN: usize = 8;", 1),
        ("_EVERY_S: Final = 0.25", 1),
        ("_OWN = 3", 1),
        ("const MAX_SHOWN: usize = 8;", 0),
        ("pub const LONGEST: usize = 8;", 0),
        ("_UPDATE_INTERVAL_S = 0.25\n_OWNERS = 3", 0),
    ],
)
def test_the_pattern_finds_vague_names(text: str, count: int):
    assert len(VAGUE_NAME.findall(text)) == count


# Words that need a noun next to them, such as "known" in "known_annotation".
_NEEDS_NOUN = (
    "all|any|bad|best|both|cut|each|few|full|given|go|grow|half|is|kept|known|like|look|low|many|more|named"
    "|note|of|ones?|only|others?|plain|rest|same|some|taken|used?|what|when|which|with"
)
NAMELESS_FUNCTION = re.compile(
    rf"^(?:pub\([a-z ]+\) )?(?:(?:async|const|unsafe) )*fn (?:{_NEEDS_NOUN})[(<]|^def _(?:{_NEEDS_NOUN})\(",
    re.M,
)


def test_private_functions_name_what_they_return():
    """Methods are free to have such names, because a noun is in front of the dot."""
    paths = [*(ROOT / "crates").glob("*/src/**/*.rs"), *(ROOT / "python/weir").rglob("*.py")]
    wrong = [
        f"{path.relative_to(ROOT)}:{text.count(chr(10), 0, match.start()) + 1}: {match.group()}"
        for path in sorted(paths)
        if "tests" not in path.stem
        for text in [path.read_text(encoding="utf-8")]
        for match in NAMELESS_FUNCTION.finditer(text)
    ]
    assert not wrong, "add the noun, such as known_annotation:\n" + "\n".join(wrong)


@pytest.mark.parametrize(
    ("text", "is_found"),
    [
        ("fn known(name: &str) -> Annotation {", True),
        ("pub(super) const fn of<T>(value: T) {", True),
        ("def _all(tables):", True),
        ("    fn all(&self) {", False),
        ("fn known_annotation() {", False),
        ("def when(condition):", False),
    ],
)
def test_the_pattern_finds_functions_without_nouns(text: str, is_found: bool):
    assert bool(NAMELESS_FUNCTION.search(text)) == is_found
