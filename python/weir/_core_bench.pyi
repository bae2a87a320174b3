"""Part of the stubs of ``weir._core``; there is no such module at run time.

Tests and measurements.
"""

from typing import Any, final

from weir._core_control import Step, Switch
from weir._core_program import Program

# A field's name, its first bit and width, the expected value, the received value.
DifferenceRow = tuple[str, int, int, str, str]

# A failure: its line, its message, its details, the fields, the packet, the line that sent it.
FailureRow = tuple[int, str, list[str], list[DifferenceRow], int | None, int, int]

@final
class TestOutcome:
    @property
    def packets(self) -> int: ...
    @property
    def checks(self) -> int: ...
    @property
    def unnamed(self) -> list[str]: ...
    def failures(self) -> list[FailureRow]: ...
    def printed(self) -> list[tuple[str, Any]]: ...
    def steps(self) -> list[Step]: ...

@final
class TestSwitch:
    def __new__(cls, program: Program, ports: list[int], seed: int, within: bool) -> TestSwitch: ...
    def control(self) -> Switch: ...
    def now(self) -> int: ...
    def receive(self, port: int, bytes: bytes) -> int: ...
    def settle(self, passes: int) -> bool: ...
    def want_choices(self, options: list[int]) -> None: ...
    def run_until(self, time_ns: int) -> None: ...
    def steps(self) -> tuple[list[Step], int]: ...

@final
class Measured:
    packets: int
    out: int
    dropped: int
    seconds: float
    ns_undisturbed: float
    varied: list[str]
    executor: str

@final
class TableFigures:
    what: str
    entries: int
    load_seconds: float
    ns_per_lookup: float
    ns_per_batched_lookup: float
    us_per_update: float
    bytes_per_entry: float

@final
class BenchSwitch:
    def __new__(cls, program: Program, ports: list[int], seed: int) -> BenchSwitch: ...
    def control(self) -> Switch: ...
    def measure(
        self,
        template: bytes | None,
        packets: bytes | None,
        size: int,
        flows: int,
        ports: list[int],
        seed: int,
        seconds: float,
    ) -> Measured: ...
