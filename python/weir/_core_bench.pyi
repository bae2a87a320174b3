"""Part of the stubs of ``weir._core``; there is no such module at run time.

Tests and measurements.
"""

from dataclasses import dataclass
from typing import final

from weir._core_control import Digest, IdleEntry, Journey, Journeys, LogLine, Output, Switch
from weir._core_program import Program

@final
@dataclass(frozen=True)
class Difference:
    field: str
    bit: int
    width: int
    expected: str
    got: str

@final
@dataclass(frozen=True)
class FailedLine:
    line: int
    message: str
    details: tuple[str, ...]
    differences: tuple[Difference, ...]
    packet: int | None
    sent: int
    lost_steps: int

@final
class TestOutcome:
    @property
    def packets(self) -> int: ...
    @property
    def checks(self) -> int: ...
    @property
    def unnamed(self) -> list[str]: ...
    def failures(self) -> list[FailedLine]: ...
    def printed(self) -> list[str | Digest | LogLine | IdleEntry]: ...
    def journeys(self) -> list[tuple[int, Journey]]: ...

@final
class TestSwitch:
    def __new__(cls, program: Program, ports: list[int], seed: int, within: bool) -> TestSwitch: ...
    def control(self) -> Switch: ...
    def now(self) -> int: ...
    def receive(self, port: int, bytes: bytes) -> int: ...
    def settle(self, passes: int) -> bool: ...
    def want_choices(self, options: list[int]) -> None: ...
    def run_until(self, time_ns: int) -> None: ...
    def read_journeys(self, journeys: Journeys) -> tuple[list[Output], int]: ...

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
