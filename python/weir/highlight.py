"""Highlights P4 in notebooks, on pages and wherever else Pygments is used.

Pygments has no lexer for P4. The entry point ``pygments.lexers`` of this package registers the one
here, so that ``pygmentize -l p4``, MkDocs, Sphinx and nbconvert know P4, too.
"""

from __future__ import annotations

from typing import ClassVar, Final

from pygments.lexer import RegexLexer, bygroups, words
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Whitespace

_KEYWORDS: Final = (
    "abstract", "action", "apply", "break", "const", "continue", "control", "default", "else", "enum",
    "error", "exit", "extern", "for", "header", "header_union", "if", "in", "inout", "match_kind",
    "out", "package", "parser", "pragma", "return", "select", "state", "struct", "switch", "table",
    "this", "transition", "type", "typedef", "value_set",
)  # fmt: skip
"""The keywords of P4_16 (the specification's section 6.4.2), without those of types and values."""

_TYPES: Final = ("bit", "bool", "int", "list", "string", "tuple", "varbit", "void")

_PROPERTIES: Final = (
    "actions", "const_default_action", "counters", "default_action", "entries", "implementation", "key",
    "largest_priority_first", "meters", "priority", "priority_delta", "size",
    "support_timeout",
)  # fmt: skip
"""Names that have a meaning only in front of an equals sign, in a table."""


class P4Lexer(RegexLexer):  # type: ignore[misc]
    """Splits P4_16 programs into tokens."""

    name = "P4"
    aliases: ClassVar[list[str]] = ["p4", "p4_16", "p4-16"]
    filenames: ClassVar[list[str]] = ["*.p4", "*.p4i"]
    mimetypes: ClassVar[list[str]] = ["text/x-p4"]
    url = "https://p4.org"

    tokens: ClassVar[dict[str, list[object]]] = {
        "root": [
            (r"\s+", Whitespace),
            (r"//[^\n]*", Comment.Single),
            (r"/\*(?:.|\n)*?\*/", Comment.Multiline),
            (
                r"(#[ \t]*include[ \t]*)(<[^>\n]*>|\"[^\"\n]*\")",
                bygroups(Comment.Preproc, Comment.PreprocFile),
            ),
            (r"#(?:\\\n|[^\n])*", Comment.Preproc),
            (r"@[A-Za-z_]\w*", Name.Decorator),
            (r'"(?:\\.|[^"\\])*"', String),
            # A width and a sign may come before a number: 8w0xff, 4s7.
            (r"(?:\d+[ws])?0[xX][0-9a-fA-F_]+", Number.Hex),
            (r"(?:\d+[ws])?0[bB][01_]+", Number.Bin),
            (r"(?:\d+[ws])?0[oO][0-7_]+", Number.Oct),
            (r"(?:\d+[ws])?(?:0[dD])?\d[\d_]*", Number.Integer),
            (r"(?:true|false)\b", Keyword.Constant),
            (r"_\b", Keyword.Constant),
            (words(_TYPES, suffix=r"\b"), Keyword.Type),
            (
                r"\b(header|header_union|struct|enum|extern|parser|control|package)(\s+)([A-Za-z_]\w*)",
                bygroups(Keyword, Whitespace, Name.Class),
            ),
            (r"\b(action|table)(\s+)([A-Za-z_]\w*)", bygroups(Keyword, Whitespace, Name.Function)),
            (r"\b(state)(\s+)([A-Za-z_]\w*)", bygroups(Keyword, Whitespace, Name.Label)),
            (words(_PROPERTIES, prefix=r"\b", suffix=r"(?=\s*=[^=])"), Keyword.Pseudo),
            (words(_KEYWORDS, prefix=r"\b", suffix=r"\b"), Keyword),
            (r"\b[A-Za-z_]\w*_t\b", Keyword.Type),
            (r"(\.)(\s*)([A-Za-z_]\w*)(?=\s*\()", bygroups(Punctuation, Whitespace, Name.Function)),
            (r"[A-Za-z_]\w*", Name),
            (r"&&&|\.\.\.?|[-+*/%&|^~!<>=?]+", Operator),
            (r"[{}()\[\];:,.]", Punctuation),
        ]
    }  # fmt: skip
