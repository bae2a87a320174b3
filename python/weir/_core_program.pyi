"""Part of the stubs of ``weir._core``; there is no such module at run time. Programs."""

from dataclasses import dataclass
from typing import Any, final

# A file, first line and column, line and column of the end (exclusive), all counted from 1.
Range = tuple[str, int, int, int, int]

@final
@dataclass(frozen=True)
class Label:
    place: Range
    message: str
    primary: bool

@final
@dataclass(frozen=True)
class Suggestion:
    place: Range
    message: str
    replacement: str

@final
class Diagnostic:
    severity: str
    id: str
    message: str
    file: str | None
    line: int
    column: int
    rendered: str
    labels: tuple[Label, ...]
    notes: tuple[str, ...]
    suggestions: tuple[Suggestion, ...]

@final
@dataclass(frozen=True)
class KeyInfo:
    name: str
    width: int
    match_kind: str

@final
@dataclass(frozen=True)
class ParamInfo:
    name: str
    width: int

@final
@dataclass(frozen=True)
class ActionInfo:
    name: str
    params: tuple[ParamInfo, ...]
    default_only: bool
    table_only: bool
    annotations: tuple[str, ...]

@final
@dataclass(frozen=True)
class CallInfo:
    action: str
    params: tuple[tuple[str, str], ...]

@final
@dataclass(frozen=True)
class TableInfo:
    name: str
    keys: tuple[KeyInfo, ...]
    actions: tuple[ActionInfo, ...]
    default_action: CallInfo | None
    size: int | None
    const_entries: bool
    const_default: bool
    needs_priority: bool
    support_timeout: bool
    direct_counter: tuple[str, str] | None
    direct_meter: tuple[str, str] | None
    profile: str | None
    annotations: tuple[str, ...]
    properties: dict[str, bool | int | str] = ...

@final
@dataclass(frozen=True)
class ObjectInfo:
    name: str
    size: int
    width: int
    counts: str
    table: str | None

@final
@dataclass(frozen=True)
class ProfileInfo:
    name: str
    size: int
    is_selector: bool
    tables: tuple[str, ...]

@final
@dataclass(frozen=True)
class ValueSetInfo:
    name: str
    size: int
    fields: tuple[KeyInfo, ...]

@final
class Declarations:
    def tables(self) -> list[TableInfo]: ...
    def find(self, kind: str, name: str) -> str: ...
    def objects(self, kind: str) -> list[ObjectInfo]: ...
    def register_fields(self, register: str) -> list[tuple[str, int]]: ...
    def register_signs(self, register: str) -> list[bool]: ...
    def register_texts(self, register: str) -> list[bool]: ...
    def value_sets(self) -> list[ValueSetInfo]: ...
    def profiles(self) -> list[ProfileInfo]: ...

@final
class OutArgument:
    value: Any

@final
class Program:
    def path(self) -> str: ...
    def declarations(self) -> Declarations: ...
    def headers(self) -> list[tuple[str, list[tuple[str, int, bool]]]]: ...
    def packet_out_value(self, field: str, given: object) -> bytes: ...
    def controller_headers(self) -> list[tuple[str, list[tuple[str, int]]]]: ...
    def port_params(self) -> list[tuple[str, str]]: ...
    def port_space(self) -> tuple[int, int | None]: ...
    def egress_tables(self) -> list[str]: ...
    def recirculates(self) -> bool: ...
    def sources(self) -> list[tuple[str, str]]: ...
    def warnings(self) -> list[Diagnostic]: ...
    def p4info(self, format: str) -> tuple[bytes | None, list[Diagnostic]]: ...
    def bfrt_json(self) -> tuple[str | None, list[Diagnostic]]: ...
    def text(self) -> str: ...
    def executor(self) -> str: ...
    def whole_frames(self) -> list[str]: ...
    def refusal(self) -> str | None: ...
    def own_externs(self) -> list[str]: ...
    def with_executor(self, name: str) -> Program: ...
