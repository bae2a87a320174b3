"""Part of the stubs of ``weir._core``; there is no such module at run time. Programs."""

from typing import final

# A file, first line and column, line and column of the end (exclusive), all counted from 1.
Range = tuple[str, int, int, int, int]

@final
class Diagnostic:
    severity: str
    id: str
    message: str
    file: str | None
    line: int
    column: int
    rendered: str
    labels: list[tuple[Range, str, bool]]
    notes: list[str]
    suggestions: list[tuple[Range, str, str]]

@final
class ActionInfo:
    name: str
    params: list[tuple[str, int]]
    default_only: bool
    table_only: bool
    annotations: list[str]

@final
class TableInfo:
    name: str
    keys: list[tuple[str, int, str]]
    actions: list[ActionInfo]
    size: int | None
    const_entries: bool
    const_default: bool
    needs_priority: bool
    support_timeout: bool
    direct_counter: tuple[str, str] | None
    direct_meter: tuple[str, str] | None
    profile: str | None
    annotations: list[str]

@final
class Declarations:
    def tables(self) -> list[TableInfo]: ...
    def find(self, kind: str, name: str) -> str: ...
    def objects(self) -> list[tuple[str, str, int, int, str]]: ...
    def register_fields(self, register: str) -> list[tuple[str, int]]: ...
    def register_signs(self, register: str) -> list[bool]: ...
    def value_sets(self) -> list[tuple[str, int, list[tuple[str, int, str]]]]: ...
    def profiles(self) -> list[tuple[str, int, bool, list[str]]]: ...

@final
class Program:
    def path(self) -> str: ...
    def declarations(self) -> Declarations: ...
    def headers(self) -> list[tuple[str, list[tuple[str, int, bool]]]]: ...
    def controller_headers(self) -> list[tuple[str, list[tuple[str, int]]]]: ...
    def port_params(self) -> list[tuple[str, str]]: ...
    def sources(self) -> list[tuple[str, str]]: ...
    def warnings(self) -> list[Diagnostic]: ...
    def p4info(self, format: str) -> tuple[bytes | None, list[Diagnostic]]: ...
    def text(self) -> str: ...
    def executor(self) -> str: ...
    def whole_frames(self) -> list[str]: ...
    def refusal(self) -> str | None: ...
    def with_executor(self, name: str) -> Program: ...
