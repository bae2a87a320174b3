"""Part of the stubs of ``weir._core``; there is no such module at run time. BfRt."""

from typing import Any, final

_BfrtKey = list[tuple[int, str, bytes, bytes | None, int]]
_BfrtFields = list[tuple[int, Any]]

@final
class BfrtServer:
    def address(self) -> str: ...
    def close(self) -> None: ...

@final
class BfrtClient:
    def __new__(
        cls,
        address: str,
        device_id: int,
        tls: tuple[bytes, tuple[bytes, bytes] | None, str | None] | None,
        timeout_ms: int,
    ) -> BfrtClient: ...
    def program(self) -> tuple[str, str, str]: ...
    def write(
        self,
        p4_name: str,
        pipe: int,
        kind: str,
        table: int,
        key: _BfrtKey | None,
        data: tuple[int, _BfrtFields] | None,
        is_default: bool = False,
        removes: bool = False,
    ) -> None: ...
    def operate(self, p4_name: str, pipe: int, table: int, name: str) -> None: ...
    def set_idle(
        self,
        p4_name: str,
        pipe: int,
        table: int,
        enable: bool,
        polls: bool,
        interval: int,
        ttls: tuple[int, int],
    ) -> None: ...
    def set_port_messages(self, p4_name: str, table: int, enable: bool) -> None: ...
    def read(
        self, p4_name: str, pipe: int, table: int, key: _BfrtKey | None, is_default: bool
    ) -> list[tuple[_BfrtKey | None, int, _BfrtFields, bool]]: ...
    def usage(self, p4_name: str, pipe: int, table: int) -> int: ...
    def handle(self, p4_name: str, pipe: int, table: int, key: _BfrtKey) -> int: ...
    def subscribe(self, client_id: int, p4_name: str) -> None: ...
    def next_message(self, timeout_ms: int) -> tuple[str, int, bool, list[_BfrtFields], _BfrtKey] | None: ...
