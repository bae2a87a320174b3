"""A running topology: hosts, switches and links on a virtual clock."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self, Unpack

from weir import units
from weir.clock import Clock, Progress
from weir.control.profile import Profile
from weir.errors import CommandFileError, ControlError, NetworkError, shown
from weir.errors.checks import check_calls, check_text
from weir.host import Host
from weir.links.capture import Capture
from weir.links.interface import Interface
from weir.links.sampler import Sampler
from weir.links.sniffer import Sniffer
from weir.measure import Account, PingMatrix
from weir.network import build
from weir.network.build import ON_COMPUTER
from weir.network.computer import Computer
from weir.network.host_programs import start_programs
from weir.network.link_captures import LinkCaptures
from weir.network.named import NamedList
from weir.network.nodes import Nodes
from weir.network.noise import Noise, read_noise
from weir.network.options import NetworkOptions, check_options
from weir.network.provenance import record
from weir.network.reachability import ping_all
from weir.network.timed import Timed
from weir.network.world import WorldName, make_world
from weir.owners import network as owners
from weir.program import Program
from weir.text.counted import count_noun
from weir.topology import Topology

if TYPE_CHECKING:
    from weir.control.switch import Switch
    from weir.links.link import Link
    from weir.p4runtime import Server, ServerOptions


class Network(Timed):
    """A running topology.

    >>> with weir.Network(topo, p4="router.p4") as net:             # doctest: +SKIP
    ...     print(net.host("h1").ping("h2", count=3).rtt_avg_ms)

    Time is paused between calls and advances in :meth:`Host.ping`, :meth:`run_for` and similar
    methods. The same topology, programs, calls and seed give the same result, byte for byte, on any
    computer.

    Args:
        topology: the topology to run, or the name of its ``topology.json``.
        p4: the P4 program of the switches: a file, or a program from :func:`weir.compile`. Not
            needed if each switch has its own program, or a controller sends one (``p4runtime``).
        world: ``"virtual"`` for simulated hosts and links on a virtual clock, or ``"linux"`` for
            network namespaces of this computer with real programs and real time
            (docs/how-to/linux-world.md).
        switches: the kind of switches in the Linux world: ``"weir"``, or p4lang's
            ``"simple_switch"``.
        offloads: whether hosts of the Linux world leave checksums and segmentation to interfaces.
            By default they do, except with ``simple_switch``, which completes no checksums.
        as_root: whether programs of the Linux world have root's rights on this computer. By default
            they run in a user namespace, unless the environment variable ``WEIR_AS_ROOT`` is 1.
        seed: the seed of all random numbers, 0 to 2**63 - 1. A network without noise, whose links
            and programs have no random effects, gives the same result for every seed; do not
            compute confidence intervals over its seeds.
        threads: the maximum number of threads of the simulation, on which results do not depend.
        profile: the timing of the switches: a name from :func:`weir.network.profiles` or a
            :class:`Profile`.
        computer: the computer whose processors all switches and hosts share, as in Mininet: a name
            from :func:`weir.network.computers`, a file from ``weir lab fit``, or a
            :class:`Computer`. Switches then have no profile. By default, the topology's computer;
            if it has none, nodes do not share processors.
        noise: random delays in hosts: ``"none"``, ``"realistic"`` (traffic starts up to 1 ms late,
            hosts need up to 60 us for a packet) or a :class:`weir.network.Noise`.
        pcap: a folder for captures, with a pcapng file for each link, which is complete after
            :meth:`close`.
        include: folders in which to look for included P4 files.
        strict: whether failing runtime commands in the topology's files are an error. If not, the
            other commands still run, and :attr:`command_errors` lists the errors.
        executor: the executor of the programs, ``native`` (machine code) or ``interp`` (the
            reference interpreter), with the same results. By default, the executor for which each
            program was compiled, usually ``native``.
        p4runtime: whether to serve the switches to P4Runtime controllers: ``True`` (at
            127.0.0.1:9559), an address, or :class:`weir.p4runtime.ServerOptions`. The first switch
            of the topology is device 0, the next is device 1, and so on. Switches without a program
            drop packets until a controller sends one.
        progress: whether long calls show their progress on standard error; by default, as set with
            :func:`weir.progress`.

    Raises:
        P4Error: a program has errors.
        TopologyError, ControlError, NetworkError, FileError: an argument is wrong.
    """

    __slots__ = (
        "_captures", "_command_errors", "_computer", "_core", "_followers", "_link_captures",
        "_nodes", "_p4runtime", "_seed", "_topology", "_world",
    )  # fmt: skip

    def __init__(
        self,
        topology: Topology | str | Path,
        p4: str | Path | Program | None = None,
        *,
        world: WorldName = "virtual",
        switches: str = "weir",
        offloads: bool | None = None,
        as_root: bool | None = None,
        seed: int = 1,
        threads: int = 1,
        profile: str | Profile = "default",
        computer: str | Path | Computer | None = None,
        noise: str | Noise = "none",
        pcap: str | Path | None = None,
        include: Iterable[str | Path] = (),
        executor: str | None = None,
        strict: bool = True,
        p4runtime: bool | str | ServerOptions = False,
        progress: bool | None = None,
    ) -> None:
        topology = build.known_topology(topology)
        self._topology = topology
        self._seed = build.checked_seed(seed)
        shared = self._computer = build.known_computer(topology, computer, profile)
        start_jitter, processing_jitter = read_noise(noise)
        simulated = {
            "threads": build.checked_threads(threads) != 1,
            "profile": profile != "default",
            "computer": shared is not None,
            "noise": start_jitter or processing_jitter,
        }
        served = None
        if p4runtime is not False:
            from weir.p4runtime import ServerOptions

            served = ServerOptions.read(p4runtime)
        simulated_options = [name for name, is_given in simulated.items() if is_given]
        self._world = make_world(
            world, topology, seed, simulated_options, served, switches, offloads, shared, as_root, threads
        )
        core = self._core = self._world.core
        super().__init__(Clock(core, world == "linux", threads))
        self._clock.shows_progress = progress
        with ExitStack() as unfinished:
            unfinished.callback(self._world.close)
            core.set_start_jitter(start_jitter)
            # Copy the topology, so that later changes to it do not affect the network.
            index = topology._new_index()
            timing = profile if shared is None else ON_COMPUTER
            programs = p4, timing, list(include), executor, served is not None and world == "virtual"
            nodes = build.add_switches(self._world, topology, index, seed, *programs)
            record(topology, (switch.program for switch in nodes.values()))
            build.add_hosts(core, topology, processing_jitter)
            hosts = {name: Host(self, core.host(name), name) for name in topology.hosts}
            links = build.add_links(core, topology)
            build.add_controllers(self._world, topology, self._clock, nodes)
            self._nodes = Nodes(core, index, hosts, nodes, links)
            build.configure(core, topology, links)
            self._followers = build.set_queues(core, topology, nodes, links)
            self._command_errors = build.load_entries(topology, nodes)
            self._world.begin()
            if strict and self._command_errors:
                raise CommandFileError(self._command_errors, [])
            start_programs(topology, hosts)
            self._p4runtime = None if served is None else self._world.serve(self._clock, nodes, served)
            self._captures: list[Capture] = []
            self._link_captures = None if pcap is None else LinkCaptures(core, Path(pcap), topology.links)
            unfinished.pop_all()

    @classmethod
    def load(
        cls, path: str | Path, p4: str | Path | Program | None = None, **options: Unpack[NetworkOptions]
    ) -> Self:
        """Creates a network from a topology file, such as the p4lang tutorials' ``topology.json``.

        The options are those of :class:`Network`.
        """
        check_options("Network.load", options)
        return cls(Topology.load(path), p4, **options)

    @property
    def p4runtime(self) -> Server:
        """The server through which controllers reach the switches.

        Raises:
            NetworkError: the network was created without ``p4runtime``.
        """
        if self._p4runtime is None:
            raise NetworkError(
                "this network has no P4Runtime server: create it with Network(…, p4runtime=True)"
            )
        return self._p4runtime

    @property
    def topology(self) -> Topology:
        """The topology from which the network was built."""
        return self._topology

    @property
    def command_errors(self) -> Sequence[ControlError]:
        """The errors of runtime commands in the topology's files, if ``strict=False``."""
        return self._command_errors

    @property
    def computer(self) -> Computer | None:
        """The computer whose processors all switches and hosts share; ``None`` if they do not share
        processors."""
        return self._computer

    @property
    def world(self) -> WorldName:
        """The name of the world: ``"virtual"`` or ``"linux"``."""
        return self._world.name

    @property
    def seed(self) -> int:
        """The seed of all random numbers."""
        return self._seed

    @property
    def hosts(self) -> NamedList[Host]:
        """All hosts, in the topology's order. Hosts can also be found by name, as in
        ``net.hosts["h1"]``."""
        return NamedList(self._nodes.hosts.values(), self.host)

    @property
    def switches(self) -> NamedList[Switch]:
        """All switches, in the topology's order. Switches can also be found by name."""
        return NamedList(self._nodes.switches.values(), self.switch)

    @property
    def links(self) -> list[Link]:
        """All links, in the topology's order."""
        return list(self._nodes.links)

    def host(self, name: str) -> Host:
        """Finds a host by name.

        Raises:
            NetworkError: there is no such name; the message suggests the nearest.
        """
        return self._nodes.host(name)

    def switch(self, name: str) -> Switch:
        """Finds a switch by name.

        Raises:
            NetworkError: there is no such name; the message suggests the nearest.
        """
        return self._nodes.switch(name)

    def __getitem__(self, name: str) -> Host | Switch:
        return self._nodes.node(name)

    def get(self, name: str) -> Host | Switch:
        """Finds a host or switch by name, like ``net[name]``; raises :class:`NetworkError` if there
        is none."""
        return self._nodes.node(name)

    def link(self, a: str, b: str) -> Link:
        """Finds the link between two nodes (``h1``, ``s1``) or ends (``s1-p1``), in either order.

        Raises:
            NetworkError: there is no such link, or there are several.
        """
        return self._nodes.link(a, b)

    def interface(self, name: str) -> Interface:
        """Finds an interface, the sending side of a link's end, such as ``h1`` or ``h1-eth0`` of a
        host or ``s1-p2`` of a switch.

        Raises:
            NetworkError: there is no such end, or no link is connected to it.
        """
        node, number, full_name = self._nodes.interface(name)
        return Interface(self._core.interface(node, number), full_name, self._followers.get((node, number)))

    def address(self, target: str | owners.Host, family: int | None = None) -> str:
        """Finds the address of a host; returns an IPv4 or IPv6 address unchanged.

        Args:
            target: a host, its name, or an address.
            family: 4 for IPv4, 6 for IPv6; by default IPv4, or IPv6 if the host has no other
                address. If the host has several addresses of the family, the result is the first,
                with ``eth0`` before ``eth1``.

        Raises:
            NetworkError: the target is neither a host nor an address, or the host has no address of
                the family.
        """
        return self._nodes.address(target, family)

    def tc(self, node: str, command: str) -> str:
        """Runs a ``tc`` command at a node at once.

        For example ``net.tc("s1", "qdisc add dev s1-p2 root netem delay 5ms")``.

        The names of interfaces are ``eth0`` or ``h1-eth0`` at a host, and ``s1-p2``, ``s1-eth2`` or
        ``eth2`` at a switch.

        Returns:
            The output of commands such as ``tc -s qdisc show``; an empty string for other commands.

        Raises:
            NetworkError: there is no such node, or the command is wrong or does not fit the current
                configuration.
        """
        check_text("node", node, "s1")
        check_text("command", command, "qdisc show")
        output = self._core.tc(node, command)
        for (switch, _), follow in self._followers.items():
            if switch == node:
                follow()
        return output

    def ping_all(self, timeout: str = "1s", progress: Progress | None = None) -> PingMatrix:
        """Pings from each host to each other host once, one ping after the other.

        Args:
            timeout: the virtual time that each ping waits for its reply.
            progress: called after each ping with the number of pings done and their total number.
        """
        check_calls(progress=progress)
        with self._clock.call():
            return ping_all(self._nodes, self._clock.losses, timeout, progress)

    @property
    def hops(self) -> int:
        """The number of frames that have passed a link, counted once for each link."""
        return self._core.hops()

    @property
    def events(self) -> int:
        """The number of simulator events since the start."""
        return self._core.events()

    def resource_usage(self) -> dict[str, int]:
        """Counts the frames, events, timers, applications and connections in memory.

        Names that end in ``capacity`` are the numbers for which memory is allocated, which never
        decrease. As long as none of these numbers grows, memory does not grow either, except for
        requested results such as rows, intervals, samples and traces.
        """
        return dict(self._core.resource_usage())

    def sample(self, ends: str | Iterable[str], every: str) -> Sampler:
        """Samples link ends at fixed intervals from now on.

        A sample has the number of packets in the queue, and counts of sent and dropped packets.
        After 4 194 304 samples of an end, a sampler stops the run with a `NetworkError`.

        Args:
            ends: one or several link ends, such as ``"s1-p2"`` for the frames that switch s1 sends
                at port 2.
            every: the time between two samples, such as ``"10ms"``.

        Raises:
            NetworkError: there is no such end.
            UnitError: the time cannot be read.
        """
        self._clock.check_open()
        names, places = self._nodes.places(ends)
        return Sampler(self._core.sample(places, units.time_ns(every, "every")), names)

    def sniff(self, ends: str | Iterable[str], filter: str = "") -> Sniffer:
        """Records the frames that pass link ends from now on, as a sniffer at the node would.

        Args:
            ends: the link ends, such as ``"s1-p2"`` or ``"h1"``; one or several.
            filter: selects frames, in tcpdump's language: ``"udp port 5201 and src host
                10.0.1.1"``. If empty, all frames.

        Raises:
            NetworkError: there is no such end, or the filter cannot be read.
        """
        self._clock.check_open()
        check_text("filter", filter, "udp port 5201")
        names, places = self._nodes.places(ends)
        return Sniffer(self._core.watch(places, filter, True, True, False), names)

    def capture(self, path: str | Path, ends: str | Iterable[str], filter: str = "") -> Capture:
        """Writes the frames that pass link ends from now on to a pcapng file, like tcpdump.

        The file gets its name when the capture or the network is closed. Until then it is a hidden
        file in the same folder.

        Args:
            path: the file.
            ends: the link ends, such as ``"s1-p2"``; each becomes an interface in the file.
            filter: selects frames, in tcpdump's language. If empty, all frames.

        Raises:
            NetworkError: there is no such end, the filter cannot be read, or another capture writes
                the file.
            FileError: the file cannot be written.
        """
        self._clock.check_open()
        check_text("filter", filter, "udp port 5201")
        if not isinstance(path, (str, Path)) or not Path(path).name:
            raise NetworkError(f"path: expected the name of a file, found {shown(path)}")
        _, places = self._nodes.places(ends)
        final = Path(path)
        if any(other.is_open and other.path.absolute() == final.absolute() for other in self._captures):
            raise NetworkError(f"another capture writes {final}: close that first")
        capture = Capture(self._core, final, places, filter)
        self._captures.append(capture)
        return capture

    def audit(self) -> Account:
        """Counts all packets: delivered, dropped with reason and place, or in flight."""
        return Account._from_core(self._core.audit())

    def close(self) -> None:
        """Closes the network; captures are completed and get their final names.

        Raises:
            FileError: a capture could not be written.
        """
        if self._clock.stop():
            if self._p4runtime is not None:
                self._p4runtime.close()
            for capture in self._captures:
                capture.close()
            if self._link_captures is not None:
                self._link_captures.close()
            self._world.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _repr_html_(self) -> str:
        from weir.network.drawing import network_html

        return network_html(self._topology, self._nodes, self.now_ns)

    def __repr__(self) -> str:
        hosts, switches = count_noun(len(self.hosts), "host"), count_noun(len(self.switches), "switch")
        return f"<weir.Network of {hosts} and {switches} at {self.now}s>"
