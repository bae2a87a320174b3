"""Part of the stubs of ``weir._core``; there is no such module at run time.

Queueing disciplines.
"""

from typing import Protocol, TypedDict, final

# The attributes of impairment models that the core reads; weir.impairments defines the models.

class JitterModel(Protocol):
    @property
    def kind(self) -> str: ...
    @property
    def times(self) -> list[int]: ...
    @property
    def shape(self) -> float: ...

class LossModel(Protocol):
    @property
    def kind(self) -> str: ...
    @property
    def shares(self) -> list[float]: ...
    @property
    def numbers(self) -> list[int]: ...

class Correlations(Protocol):
    @property
    def jitter(self) -> float: ...
    @property
    def loss(self) -> float: ...
    @property
    def duplicate(self) -> float: ...
    @property
    def reorder(self) -> float: ...
    @property
    def corrupt(self) -> float: ...

class ClassSettings(TypedDict):
    id: int
    parent: int | None
    rate: int
    ceil: int
    burst: int
    cburst: int
    priority: int
    quantum: int | None
    queue: Qdisc | None

@final
class Qdisc:
    @staticmethod
    def fifo(packets: int | None, bytes: int | None) -> Qdisc: ...
    @staticmethod
    def tbf(
        rate_bps: int,
        burst: int,
        peak: tuple[int, int] | None,
        limit: int | None,
        latency_ns: int,
        queue: Qdisc | None,
    ) -> Qdisc: ...
    @staticmethod
    def codel(limit: int, control: tuple[int, int, bool, int | None]) -> Qdisc: ...
    @staticmethod
    def fq_codel(
        limit: int,
        control: tuple[int, int, bool, int | None],
        flows: int,
        quantum: int,
        memory_limit: int,
        drop_batch: int,
    ) -> Qdisc: ...
    @staticmethod
    def dualpi2(
        limit: int,
        times_ns: tuple[int, int, int],
        factors: tuple[float, float],
        coupling_factor: int,
        classic_protection: int,
        drop_on_overload: bool,
    ) -> Qdisc: ...
    @staticmethod
    def red(
        limit: int,
        avpkt: int,
        bounds: tuple[int | None, int | None, int | None],
        probability: float,
        bandwidth_bps: int,
        flags: tuple[bool, bool, bool, bool],
        queue: Qdisc | None,
    ) -> Qdisc: ...
    @staticmethod
    def fq(
        limit: int,
        flow_limit: int,
        quantum: int,
        initial_quantum: int,
        maxrate_bps: int | None,
        pacing: bool,
        horizon_ns: int,
        ce_threshold_ns: int | None,
    ) -> Qdisc: ...
    @staticmethod
    def htb(
        default: int | None,
        classes: list[ClassSettings],
        filters: list[tuple[str, int, int | None]],
    ) -> Qdisc: ...
    @staticmethod
    def netem(
        delay_ns: int,
        jitter_of: JitterModel,
        loss_of: LossModel,
        duplicate: float,
        corrupt: float,
        correlation: Correlations,
        reorder: tuple[float, int] | None,
        rate_bps: int | None,
        framing: tuple[int, int, int],
        ecn: bool,
        slot: tuple[int, int, int | None, int | None] | None,
        seed: int | None,
        limit: int,
        queue: Qdisc | None,
    ) -> Qdisc: ...
