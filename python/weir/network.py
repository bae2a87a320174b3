"""A topology that runs: hosts, switches and links on a virtual clock."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Literal, Self, TypeVar

from weir import _core, units
from weir.captures import Capture, Captures
from weir.clock import NANOS_MAX, Clock
from weir.control.switch import Switch
from weir.errors import NetworkError, TopologyError, WeirError
from weir.flows import Flow, Progress
from weir.host import Host
from weir.hostprogram import Sniffer
from weir.interface import Interface
from weir.link import Link
from weir.measure import Account, PingMatrix
from weir.program import Program, compile
from weir.sampler import Sampler
from weir.suggest import listing, nearest
from weir.topology import Topology
from weir.topology.addresses import address

T = TypeVar("T")


@dataclass(frozen=True)
class Profile:
    """How fast a switch is.

    Attributes:
        name: what it is called.
        pass_latency_ns: nanoseconds from the start of a pass until the packet reaches its egress queue.
        capacity: passes that can start per second.
        title: one line about the machine it models.
    """

    name: str
    pass_latency_ns: int
    capacity: int
    title: str = ""

    @classmethod
    def named(cls, name: str) -> Profile:
        """A profile by name; see :func:`profiles`.

        Raises:
            NetworkError: there is none of that name.
        """
        known = profiles()
        if name not in known:
            suggestion = nearest(name, known)
            text = "" if suggestion else f" (known: {listing(known)})"
            raise NetworkError(f'there is no timing profile "{name}"{text}', suggestion=suggestion)
        return known[name]


def profiles() -> Mapping[str, Profile]:
    """The named timing profiles, the default first."""
    return {
        name: Profile(name, latency, capacity, title) for name, latency, capacity, title in _core.profiles()
    }


class Network:
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
        self.topology = topology
        self.seed = seed
        self._closed = False
        self._core = _core.Network(seed)
        self.clock = Clock(self._core)
        self._switches = self._build_switches(p4, profile, list(include), executor)
        self._hosts = self._build_hosts()
        self._links = self._build_links()
        self._load_entries()
        self._shape()
        self._own_captures: list[Capture] = []
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

    @property
    def hosts(self) -> list[Host]:
        """All hosts, in the topology's order."""
        return list(self._hosts.values())

    @property
    def switches(self) -> list[Switch]:
        """All switches, in the topology's order."""
        return list(self._switches.values())

    @property
    def links(self) -> list[Link]:
        """All links, in the topology's order."""
        return list(self._links)

    def host(self, name: str) -> Host:
        """The host of that name.

        Raises:
            NetworkError: there is none; the message names the nearest.
        """
        return self._find("host", name, self._hosts)

    def switch(self, name: str) -> Switch:
        """The switch of that name.

        Raises:
            NetworkError: there is none; the message names the nearest.
        """
        return self._find("switch", name, self._switches)

    def link(self, a: str, b: str) -> Link:
        """The link between two nodes (``h1``, ``s1``) or ends (``s1-p1``), in either order.

        Raises:
            NetworkError: there is none, or there are several.
        """
        try:
            spec = self.topology.link(a, b)
        except TopologyError as error:
            raise NetworkError(error.message, suggestion=error.suggestion) from None
        return next(
            link for link, known in zip(self._links, self.topology.links, strict=True) if known is spec
        )

    def interface(self, name: str) -> Interface:
        """The sending side of a link's end: ``h1`` or ``h1-eth0`` of a host, ``s1-p2`` of a switch.

        Raises:
            NetworkError: there is no such end, or no link at it.
        """
        try:
            end = self.topology.read_end(name)
        except TopologyError as error:
            raise NetworkError(error.message, suggestion=error.suggestion) from None
        if end.port is None and end.node in self._switches:
            near = str(next(iter(self.topology.ports(name)), 1))
            raise NetworkError(f'"{name}" is a switch: say which port', suggestion=f"{name}-p{near}")
        return Interface(self._core.interface(end.node, end.number), end.interface_name)

    @property
    def core(self) -> _core.Network:
        """The network in Rust, for the package's own parts."""
        return self._core

    def link_at(self, node: str, number: int) -> Link:
        """The link at a node's port or interface of this number.

        Raises:
            NetworkError: there is none.
        """
        for link, spec in zip(self._links, self.topology.links, strict=True):
            if any((end.node, end.number) == (node, number) for end in (spec.a, spec.b)):
                return link
        raise NetworkError(f"no link joins port {number} of {node}")

    def tc(self, node: str, command: str) -> str:
        """Does a ``tc`` command at a node, now: ``net.tc("s1", "qdisc add dev s1-p2 root netem delay 5ms")``.

        Interfaces are called ``eth0`` or ``h1-eth0`` at a host, ``s1-p2``, ``s1-eth2`` or ``eth2`` at a switch.

        Returns:
            What ``tc -s qdisc show`` and its likes print; of other commands nothing.

        Raises:
            NetworkError: there is no such node, or the command is not understood or does not fit what is there.
        """
        return self._core.tc(node, command)

    def address(self, target: str) -> str:
        """The IPv4 address of a host, or an IPv4 or IPv6 address itself.

        Raises:
            NetworkError: it is neither.
        """
        if target not in self._hosts and (":" in target or target.replace(".", "").isdigit()):
            try:
                return address(target)
            except WeirError as error:
                raise NetworkError(error.message) from None
        return self.host(target).ip

    @property
    def on_event(self) -> Callable[[], None] | None:
        """Called after each event, if set: to look at a run as it goes. It makes runs slow."""
        return self.clock.on_event

    @on_event.setter
    def on_event(self, call: Callable[[], None] | None) -> None:
        self.clock.on_event = call

    @property
    def hops(self) -> int:
        """Frames that have passed a link since the start, each link they passed counted."""
        return self._core.hops()

    @property
    def events(self) -> int:
        """Events of the simulator since the start."""
        return self._core.events()

    def holds(self) -> dict[str, int]:
        """What the network holds now beside its nodes and links: frames, events, wake-ups, applications and connections.

        Names with ``room`` tell how many there is memory for, which is as many as there ever were at once. Where none of these numbers
        grows any more, memory does not either, but for results that were asked for: rows, intervals, samples, traces.
        """
        return dict(self._core.holds())

    @property
    def now_ns(self) -> int:
        """Virtual nanoseconds since the network's start."""
        return self._core.now()

    @property
    def now(self) -> float:
        """Virtual seconds since the network's start."""
        return self.now_ns / 1e9

    def run_for(self, duration: str, progress: Progress | None = None) -> None:
        """Lets virtual time pass.

        Args:
            duration: how much, such as ``"1s"``.
            progress: called now and then with the nanoseconds passed and those to pass.

        Raises:
            UnitError: the duration cannot be read.
            NetworkError: the network is closed.
        """
        self.check_open()
        span = units.time_ns(duration, "duration", "s")
        start = self.now_ns
        if start + span > NANOS_MAX:
            raise NetworkError(f"the clock would run over: it is {units.format_time(start)} now")

        def look() -> None:
            if progress is not None:
                progress(self.now_ns - start, span)

        self.clock.run(start + span, look=look)

    def at(self, time: str, action: Callable[[], object]) -> None:
        """Plans something for a time of the virtual clock, such as a change of a link: ``net.at("15s", lambda: …)``.

        It happens behind all packets and timers of that time, and may call anything but what lets time pass. An exception it raises
        ends the run and reaches whoever runs the network.

        Args:
            time: when, from the network's start, such as ``"15s"``.
            action: what to call.

        Raises:
            UnitError: the time cannot be read.
            NetworkError: the time has passed.
        """
        self.clock.at(units.time_ns(time, "time", "s"), action)

    def after(self, delay: str, action: Callable[[], object]) -> None:
        """The same from now on: ``net.after("5s", …)``."""
        self.clock.at(self.now_ns + units.time_ns(delay, "delay", "s"), action)

    def wait(self, *flows: Flow[object], progress: Progress | None = None) -> None:
        """Lets time pass until all these flows have finished.

        Args:
            flows: what to wait for.
            progress: called now and then with how many have finished and how many there are.

        Raises:
            NetworkError: one could not start, or cannot finish.
        """

        def look() -> None:
            if progress is not None:
                progress(sum(flow.finished for flow in flows), len(flows))

        for flow in flows:
            flow.wait(look)

    def sample(self, ends: str | Iterable[str], every: str) -> Sampler:
        """Looks at link ends at fixed times from now on: how many packets wait there, and what has been sent and dropped.

        Args:
            ends: such as ``"s1-p2"`` (what leaves switch s1 by port 2) or ``"h1"``; one or several.
            every: the time between two samples, such as ``"10ms"``.

        Raises:
            NetworkError: there is no such end.
            UnitError: the time cannot be read.
        """
        names = [ends] if isinstance(ends, str) else list(ends)
        if not names:
            raise NetworkError('there is no end to sample: name some, such as "s1-p2"')
        core = self._core.sample([self.end(name) for name in names], units.time_ns(every, "every"))
        return Sampler(core, names)

    def sniff(self, ends: str | Iterable[str], filter: str = "") -> Sniffer:
        """Keeps the frames that pass link ends from now on, as a sniffer on that node's interface would see them.

        Args:
            ends: such as ``"s1-p2"`` or ``"h1"``; one or several.
            filter: which of them, in tcpdump's language: ``"udp port 5201 and src host 10.0.1.1"``. All of them if empty.

        Raises:
            NetworkError: there is no such end, or the filter cannot be read.
        """
        names = [ends] if isinstance(ends, str) else list(ends)
        return Sniffer(self._core.watch([self.end(name) for name in names], filter, True, True, False), names)

    def capture(self, path: str | Path, ends: str | Iterable[str], filter: str = "") -> Capture:
        """Writes the frames that pass link ends from now on into a pcapng file, as tcpdump does.

        The file has its name once the capture is closed, by itself or with the network; until then ``.part`` is added to it.

        Args:
            path: the file.
            ends: such as ``"s1-p2"`` or ``"h1"``; one or several, each an interface in the file.
            filter: which frames, in tcpdump's language. All of them if empty.

        Raises:
            NetworkError: there is no such end, or the filter cannot be read.
            FileError: the file cannot be written.
        """
        self.check_open()
        names = [ends] if isinstance(ends, str) else list(ends)
        capture = Capture(self._core, Path(path), [self.end(name) for name in names], filter)
        self._own_captures.append(capture)
        return capture

    def audit(self) -> Account:
        """Accounts for every packet there ever was: delivered, dropped with a reason at a place, or in flight."""
        return Account.of(self._core.audit())

    def end(self, name: str) -> tuple[str, int]:
        """The node and the port of a link end: ``s1-p2``, ``h1`` (its first interface) or ``h1-eth0``.

        Raises:
            NetworkError: there is no such end.
        """
        node, _, port = name.rpartition("-")
        kind = "eth" if node in self._hosts else "p" if node in self._switches else ""
        if kind and port.removeprefix(kind).isdecimal() and port.startswith(kind):
            return node, int(port.removeprefix(kind))
        if name in self._switches:
            ports = listing([f"{name}-p{port}" for port in self.topology.ports(name)])
            raise NetworkError(f'"{name}" is a switch: which of its ports? ({ports})')
        return self.host(name).name, 0

    def ping_all(self, timeout: str = "1s", progress: Progress | None = None) -> PingMatrix:
        """Each host pings each other once, one after the other.

        Args:
            timeout: virtual time that each waits for its reply.
            progress: called after each with how many are done and how many there are.
        """
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

    def _build_switches(
        self,
        p4: str | Path | Program | None,
        profile: str | Profile,
        include: list[str | Path],
        executor: str | None,
    ) -> dict[str, Switch]:
        programs: dict[Path, Program] = {}

        def compiled(path: str | Path) -> Program:
            key = Path(path)
            if key not in programs:
                programs[key] = compile(path, include, executor=executor)
            return programs[key]

        default = compiled(p4) if isinstance(p4, (str, Path)) else p4
        if default is not None and executor is not None:
            default = default.with_executor(executor)
        usual = Profile.named(profile) if isinstance(profile, str) else profile
        switches = {}
        for number, (name, spec) in enumerate(self.topology.switches.items()):
            program = default if spec.p4 is None else compiled(spec.p4)
            if program is None:
                raise NetworkError(
                    f"switch {name} has no P4 program: give one for all switches (p4=…, or --p4), or for this one"
                )
            own = usual if spec.profile is None else Profile.named(spec.profile)
            ports = self.topology.ports(name)
            if spec.cpu_port is not None:
                ports = sorted({*ports, spec.cpu_port})
            timing = own.pass_latency_ns, own.capacity
            self._core.add_switch(name, program._core, timing, ports, spec.priorities, self.seed + number)
            switches[name] = Switch(self._core.switch(name), name, program, own)
        return switches

    def _build_hosts(self) -> dict[str, Host]:
        for name, spec in self.topology.hosts.items():
            interfaces = [
                (own.mac, [str(address) for address in own.addresses], own.mtu) for own in spec.interfaces
            ]
            routes = [(route.network, route.gateway, route.interface) for route in spec.routes]
            neighbours = [(spec.arp_interfaces.get(ip, 0), ip, mac) for ip, mac in spec.arp.items()]
            self._core.add_host(
                name, interfaces, routes, neighbours, spec.processing_ns, spec.processing_jitter_ns
            )
        return {name: Host(self, self._core.host(name), name) for name in self.topology.hosts}

    def _build_links(self) -> list[Link]:
        links = []
        for spec in self.topology.links:
            number = self._core.connect(
                spec.a.node,
                spec.a.number,
                spec.b.node,
                spec.b.number,
                spec.rate_bps,
                spec.delay_ns,
                spec.loss,
            )
            links.append(Link(self._core.link(number), spec))
        return links

    def _shape(self) -> None:
        """What needs links to be there: commands for queueing disciplines, interfaces that are down, queues as fast as their links."""
        for name, host in self.topology.hosts.items():
            for setting, value in host.sysctls:
                self._core.set_sysctl(name, setting, value)
            for line in host.tc:
                self._core.tc(name, line)
        for link, spec in zip(self._links, self.topology.links, strict=True):
            for end in (spec.a, spec.b):
                if (
                    end.node in self.topology.hosts
                    and not self.topology.hosts[end.node].interfaces[end.number].up
                ):
                    link.up = False
                switch = self.topology.switches.get(end.node)
                if switch is None:
                    continue
                set_rate = partial(self._switches[end.node].set_queue_rate, port=end.number)
                if switch.queue_rate == "link":
                    link.follow_rate(set_rate)
                elif switch.queue_rate is not None:
                    set_rate(switch.queue_rate)
                if switch.queue_depth is not None:
                    self._switches[end.node].set_queue_depth(switch.queue_depth, end.number)

    def _load_entries(self) -> None:
        for name, spec in self.topology.switches.items():
            if spec.entries is not None:
                self._switches[name].load_entries(spec.entries)
            if spec.commands is not None:
                self._switches[name].run_commands(spec.commands)

    def _find(self, what: str, name: str, known: Mapping[str, T]) -> T:
        if name in known:
            return known[name]
        suggestion = nearest(str(name), known)
        text = "" if suggestion else f" (there are: {listing(known)})"
        raise NetworkError(f'there is no {what} "{name}"{text}', suggestion=suggestion)

    def receiver(self, address: str, server: str | Host | None = None) -> Host:
        """The host that receives what is sent to an address: the one that has it, unless a ``server`` is named.

        Raises:
            NetworkError: there is none.
        """
        if server is not None:
            return self.host(server.name if isinstance(server, Host) else server)
        for host in self._hosts.values():
            if address in host.addresses:
                return host
        raise NetworkError(f"no host has the address {address}: name the one that receives with server=…")

    def watch_frames(self, end: str, filter: str) -> _core.Watch:
        """Has the network stop for each frame that arrives at a link end and matches a filter."""
        return self._core.watch([self.end(end)], filter, True, False, True)

    def check_open(self) -> None:
        """Refuses what needs a network that runs.

        Raises:
            NetworkError: the network is closed.
        """
        if self._closed:
            raise NetworkError("the network is closed")
