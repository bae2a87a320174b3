"""A topology that runs: hosts, switches and links on a virtual clock."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Literal, Self

from weir import _core
from weir.attributes import attributes_are_told
from weir.captures import Captures
from weir.clock import Clock, check_calls
from weir.errors import NetworkError
from weir.flows import Progress
from weir.host import Host
from weir.keywords import keywords_are_told
from weir.measure import PingMatrix
from weir.network import build
from weir.network.looking import Looking
from weir.network.passing import Passing
from weir.network.profile import Profile, profiles
from weir.program import Program
from weir.topology import Topology

__all__ = ["Network", "Profile", "profiles"]


@attributes_are_told
@keywords_are_told
class Network(Passing, Looking):
    """A topology that runs.

    >>> with weir.Network(topo, p4="router.p4") as net:             # doctest: +SKIP
    ...     print(net.host("h1").ping("h2", count=3).rtt_avg_ms)

    Time stands still between calls: it passes in :meth:`Host.ping`, :meth:`run_for` and their like. The same topology, programs,
    calls and seed give the same result, to the byte, on any computer.

    Args:
        topology: what to build.
        p4: the P4 program that the switches run: a file or what :func:`weir.compile` made of it. Not needed if each switch
            has its own.
        world: ``"virtual"``: simulated hosts and links on a virtual clock.
        seed: where all randomness begins, 0 to 2**63 - 1.
        profile: how fast the switches are: a name from :func:`weir.network.profiles` or a :class:`Profile`.
        pcap: a folder for captures, one pcapng file per link; complete after :meth:`close`.
        include: folders to look for included P4 files in.
        executor: what runs the programs: ``native`` (machine code) or ``interp`` (the reference interpreter). By default what each
            program was compiled for, which is machine code unless told otherwise. Results are the same.

    Attributes:
        topology: what was built.
        seed: where randomness began.
        clock: how its time passes.

    Raises:
        P4Error: a program has errors.
        TopologyError, ControlError, NetworkError, FileError: what is given does not hold together.
    """

    def __init__(
        self,
        topology: Topology,
        p4: str | Path | Program | None = None,
        *,
        world: Literal["virtual"] = "virtual",
        seed: int = 1,
        profile: str | Profile = "default",
        pcap: str | Path | None = None,
        include: Iterable[str | Path] = (),
        executor: str | None = None,
    ) -> None:
        if world != "virtual":
            raise NetworkError(f'there is no world "{world}" yet', suggestion="virtual")
        if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < 1 << 63:
            raise NetworkError(f"the seed {seed!r} is out of range: expected 0 to 2**63 - 1")
        super().__init__(topology, _core.Network(seed))
        self.seed = seed
        self.clock = Clock(self._core)
        self._switches = build.add_switches(self._core, topology, seed, p4, profile, list(include), executor)
        build.add_hosts(self._core, topology)
        self._hosts = {name: Host(self, self._core.host(name), name) for name in topology.hosts}
        self._links = build.add_links(self._core, topology)
        build.load_entries(topology, self._switches)
        build.shape(self._core, topology, self._switches, self._links)
        self._own_captures = []
        self._captures = None if pcap is None else Captures(self._core, Path(pcap), topology.links)

    @classmethod
    def load(
        cls,
        path: str | Path,
        p4: str | Path | Program | None = None,
        *,
        world: Literal["virtual"] = "virtual",
        seed: int = 1,
        profile: str | Profile = "default",
        pcap: str | Path | None = None,
        include: Iterable[str | Path] = (),
        executor: str | None = None,
    ) -> Self:
        """A network from the public tutorials' ``topology.json``; the arguments are those of :class:`Network`."""
        topology = Topology.load(path)
        return cls(
            topology,
            p4,
            world=world,
            seed=seed,
            profile=profile,
            pcap=pcap,
            include=include,
            executor=executor,
        )

    def ping_all(self, timeout: str = "1s", progress: Progress | None = None) -> PingMatrix:
        """Each host pings each other once, one after the other.

        Args:
            timeout: virtual time that each waits for its reply.
            progress: called after each with how many are done and how many there are.
        """
        check_calls(progress=progress)
        names = list(self._hosts)
        pairs = [(a, b) for a in names for b in names if a != b]
        results = {}
        for done, (a, b) in enumerate(pairs, 1):
            results[a, b] = self._hosts[a].ping(self._hosts[b], count=1, timeout=timeout)
            if progress is not None:
                progress(done, len(pairs))
        return PingMatrix(names, results)

    def close(self) -> None:
        """Ends the network: captures are written to their end and get their final names.

        Raises:
            FileError: a capture could not be written.
        """
        if not self._closed:
            self._closed = True
            self.clock.stop()
            for capture in self._own_captures:
                capture.close()
            if self._captures is not None:
                self._captures.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<weir.Network of {len(self._hosts)} hosts and {len(self._switches)} switches at {self.now}s>"
