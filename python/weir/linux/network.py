"""A network of real hosts, with the methods of ``weir._core.Network``."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from multiprocessing import connection
from pathlib import Path
from time import monotonic_ns, time_ns
from typing import Any, Literal, NoReturn

from weir import _core
from weir._core import LossCounts
from weir.errors import NetworkError, WeirWarning
from weir.linux import wiring
from weir.linux.bmv2.process import Bmv2Process
from weir.linux.host import LinuxHost
from weir.linux.link import LinuxInterface, LinuxLink
from weir.linux.link_process import LinkProcess
from weir.linux.losses import losses
from weir.linux.namespaces import finish
from weir.linux.network_base import NetworkBase
from weir.linux.observation import LinuxCapture, LinuxWatch, ProgramWatch
from weir.linux.sampler import LinuxSampler
from weir.linux.servers import Servers
from weir.linux.switch import SwitchProcess
from weir.linux.traffic import LinuxTraffic
from weir.topology import Endpoint, Topology

_SLICE_NS = 20_000_000
"""The interval in nanoseconds at which a run checks whether it should stop."""

_NO_OFFLOADS = Path(__file__).with_name("no_offloads.py")

_LISTENING_NS = 2_000_000
"""The interval in nanoseconds at which a run checks whether it should stop, if it waits for
messages of switches."""


class LinuxNetwork(NetworkBase):
    """Hosts, links and switches in Linux namespaces, in real time.

    Like ``weir._core.Network``, the class follows ``weir._core_contracts.Network``. Each method
    does for Linux namespaces what the method of the same name does for simulated hosts.

    Args:
        topology: the topology to build.
        seed: the seed of the random effects of links.
        first_device: the P4Runtime device number of the first switch, for other controllers;
            ``None`` if there are no other controllers and each switch has the number 0.
        switches: ``weir`` or ``simple_switch``.
        offloads: whether hosts have offloads; by default unless the switches are ``simple_switch``.
        as_root: whether processes have the rights of root outside their namespaces.

    Raises:
        NetworkError: this computer does not allow namespaces, or a part of the topology cannot be
            made.
    """

    def __init__(
        self,
        topology: Topology,
        seed: int,
        first_device: int | None = None,
        switches: str = "weir",
        offloads: bool | None = None,
        as_root: bool = False,
    ) -> None:
        super().__init__(topology, first_device, as_root)
        self._kind = switches
        self._offloads = switches == "weir" if offloads is None else offloads
        self._switches: dict[str, SwitchProcess | Bmv2Process] = {}
        # The switches whose programs read queue metadata; for the ends of their links, the rate at
        # which packets leave the switch, and the limit of waiting packets.
        self._rated: set[str] = set()
        self._in_switch: dict[Endpoint, tuple[int, int] | None] = {}
        # The names of the switches for whose messages a run waits.
        self._listening: set[str] = set()
        self._closed = False
        try:
            self.wires = wiring.wires(topology)
            self.rates.update((wire.number, wire.spec.rate_bps) for wire in self.wires)
            self._build()
            self._link_process = self._start_link_process(seed)
        except BaseException:
            self.close()
            raise
        self._captures: dict[str, LinuxCapture] = {}
        self._links = [LinuxLink(self, wire) for wire in self.wires]
        self._hosts = {name: LinuxHost(self, name) for name in topology.hosts}
        self.origin = monotonic_ns()
        self.servers = Servers(self.namespaces, self.origin)
        self.started_ns = time_ns()

    def _build(self) -> None:
        topology, inside = self.topology, self.namespaces
        settings = wiring.settings(topology)
        inside.make(settings)
        for setting, value in wiring.IPV6_OFF:
            # The outer namespace contains the ends of links between nodes. A kernel without IPv6
            # has no such setting, but sends no IPv6 frames by itself.
            with suppress(NetworkError):
                inside.set(None, setting, value)
        paths = {name: inside.path(name) for name in settings}
        indices = inside.batch(
            None, "ip", list(wiring.pair_commands(topology, self.wires, paths)), inherits_namespaces=True
        )
        finish(indices, "the links of the topology")
        hosts = {name: list(wiring.host_commands(host)) for name, host in topology.hosts.items()}
        switches = {name: list(wiring.switch_commands(name, self.wires)) for name in topology.switches}
        running = [(name, inside.batch(name, "ip", lines)) for name, lines in {**hosts, **switches}.items()]
        rates: dict[str, list[str]] = {}
        for wire in self.wires:
            for end in (wire.spec.a, wire.spec.b):
                kernel_queue = self.kernel_queue(end, wire.spec.rate_bps, wiring.link_discipline(wire.spec))
                lines = wiring.rate_commands(end, *kernel_queue, self.mtu(end))
                rates.setdefault(end.node, []).extend(lines)
        for name, process in running:
            finish(process, name)
        tools = [(name, inside.batch(name, "tc", lines)) for name, lines in rates.items()]
        for name, process in tools:
            finish(process, name)

        if not self._offloads:
            for name, host in topology.hosts.items():
                interfaces = [f"eth{number}" for number in range(len(host.interfaces))]
                self.tool(name, [sys.executable, "-S", str(_NO_OFFLOADS), *interfaces])
        names = self.folder / "hosts"
        names.write_text("".join(wiring.host_names(topology)), encoding="utf-8")
        inside.cover_file(names, Path("/etc/hosts"))
        # Without a name server, a lookup of any other name fails at once. With the computer's own
        # server, which hosts cannot reach, `python3 -m http.server` took ten seconds to start.
        servers = self.folder / "resolv.conf"
        servers.write_text("# Hosts know the names in /etc/hosts.\n", encoding="utf-8")
        inside.cover_file(servers, Path("/etc/resolv.conf"))

    def _start_link_process(self, seed: int) -> LinkProcess | None:
        """Starts the process that delays and drops frames of links, if a link needs it."""
        process_wires = [wire for wire in self.wires if wire.uses_link_process]
        if not process_wires:
            return None
        started = LinkProcess(self.namespaces, seed)
        started.add([wiring.link_settings(wire) for wire in process_wires])
        for wire in process_wires:
            for end in (wire.spec.a, wire.spec.b):
                if end in self.in_link:
                    change = wiring.end_settings(wire, end, wire.spec.rate_bps, self.in_link[end])
                    started.change(str(wire.spec), change)
        return started

    # The following methods have the names and meanings of those of cores.Network.

    def add_switch(
        self,
        name: str,
        program: _core.Program,
        timing: tuple[int, int],
        ports: list[int],
        priorities: int,
        seed: int,
    ) -> None:
        if python_externs := program.own_externs():
            raise NetworkError(
                f"{name} cannot run in the Linux world: the code of the extern {python_externs[0]} is in Python, and "
                'switches of the Linux world are other processes; use world="virtual"'
            )
        spec = self.topology.switches[name]
        linked = [
            (end.port, wiring.device(end))
            for wire in self.wires
            for end in (wire.spec.a, wire.spec.b)
            if end.node == name and end.port is not None
        ]
        if sees_queues(program):
            self._rated.add(name)
            links = [wire.spec for wire in self.wires if name in (wire.spec.a.node, wire.spec.b.node)]
            if not any(wiring.switch_queue(link.rate_bps, wiring.link_discipline(link)) for link in links):
                warnings.warn(
                    f"the program of {name} reads the lengths of its queues (enq_qdepth and the like): in "
                    "the Linux world packets wait in a switch if their link has a rate up to 100 Mbit/s and "
                    "no queueing discipline. It has no such link, so it sees empty queues",
                    WeirWarning,
                    stacklevel=5,
                )
        if self._kind == "simple_switch":
            self._switches[name] = Bmv2Process(self, name, program, linked, spec.cpu_port)
            return
        self._switches[name] = SwitchProcess(self, name, program, linked, spec.cpu_port, priorities)

    def switch_process(self, name: str) -> SwitchProcess | Bmv2Process:
        """Returns the process of a switch."""
        return self._switches[name]

    def begin(self) -> None:
        """Waits until all switches run their programs."""
        for process in self._switches.values():
            process.begin()
        for wire in self.wires:
            for end in (wire.spec.a, wire.spec.b):
                if end not in self.in_link:
                    self.rate_switch(end, wire.spec.rate_bps, wiring.link_discipline(wire.spec))

    def rate_switch(self, end: Endpoint, rate_bps: int | None, queue: str) -> None:
        """Sets a rate in a switch that reads queue metadata; see
        :meth:`NetworkBase.rate_switch`."""
        if end.node not in self._rated or end.port is None:
            return
        in_switch = wiring.switch_queue(rate_bps, queue)
        if in_switch != self._in_switch.get(end):
            self._in_switch[end] = in_switch
            rate, packets = in_switch or (None, 64)
            self._switches[end.node].set_queue(end.port, rate, packets)

    def add_host(self, *_: object, **__: object) -> None:
        pass

    def connect(self, a: str, a_port: int, b: str, b_port: int, *_: object, **__: object) -> int:
        for wire in self.wires:
            ends = wire.spec.a, wire.spec.b
            if [(end.node, end.number) for end in ends] == [(a, a_port), (b, b_port)]:
                return wire.number
        raise NetworkError(f"there is no link between {a} and {b}")

    def link(self, number: int) -> LinuxLink:
        return self._links[number]

    def interface(self, node: str, port: int) -> LinuxInterface:
        self._check_interfaces([(node, port)])
        return LinuxInterface(self, self.end(node, port))

    def watch(
        self, ends: list[tuple[str, int]], filter: str, inbound: bool, outbound: bool, stops: bool
    ) -> LinuxWatch | ProgramWatch:
        self._check_interfaces(ends)
        if stops:
            return ProgramWatch(self, ends[0], filter)
        return LinuxWatch(self, ends, filter, (inbound, outbound))

    def sample(self, ends: list[tuple[str, int]], every_ns: int) -> LinuxSampler:
        self._check_interfaces(ends)
        return LinuxSampler(self, ends, every_ns)

    def capture(self, ends: list[tuple[str, int]], filter: str, path: str) -> None:
        self._check_interfaces(ends)
        self._captures[path] = LinuxCapture(self, ends, filter, path)

    def _check_interfaces(self, ends: list[tuple[str, int]]) -> None:
        """Checks that links are connected to these ends.

        Raises:
            NetworkError: an end is the port of a switch's controller, which has no interface.
        """
        for node, number in ends:
            if self.wire_at(self.end(node, number)) is None:
                refuse_virtual_only(
                    f"frames at the CPU port {number} of {node}",
                    f'net.switch("{node}").packets_in() returns its packets',
                )

    def finish_capture(self, path: str) -> None:
        self._captures.pop(path).finish()

    def tc(self, node: str, line: str) -> str:
        words = line.removeprefix("tc ").split()
        end = self._end_of_command(node, words)
        if end is not None and (output := self._change_in_link_process(end, words)) is not None:
            return output
        output = self.tool(node, ["tc", *self._redirect_behind_rate(node, words)])
        if end is not None and (wire := self.wire_at(end)):
            link = self._links[wire.number]
            queue = link.queues[0] if words[1] == "del" else " ".join(words[words.index("root") + 1 :])
            self.rate_switch(end, link.rate_bps, queue)
        return output

    def _change_in_link_process(self, end: Endpoint, words: list[str]) -> str | None:
        """Applies a ``tc`` command for a discipline that this kernel lacks to the link process.

        Returns ``None`` if the command is for the kernel.
        """
        wire, inside = self.wire_at(end), end in self.in_link
        if wire is None or not wire.uses_link_process:
            return None
        command = words[words.index("root") + 1 :]
        queue = " ".join(command[2:] if command[:1] == ["handle"] else command)
        if words[1] == "del":
            queue = self._links[wire.number].queues[0]
        elif words[1] == "change" and inside:
            raise NetworkError(
                f"{end}: this kernel lacks the discipline, so it is in the link: write all its options "
                "with replace"
            )
        if not inside and (words[1] in ("del", "change") or not self.kernel_lacks(queue)):
            return None
        self.shape(end, self.rate_at(end), queue)
        return ""

    def _end_of_command(self, node: str, words: Sequence[str]) -> Endpoint | None:
        """Finds the end of a link whose queueing discipline a ``tc`` command changes; returns
        ``None`` if there is none."""
        if words[:1] != ["qdisc"] or words[1:2] not in (["add"], ["replace"], ["change"], ["del"]):
            return None
        if "root" not in words or "dev" not in words[:-1]:
            return None
        name = words[words.index("dev") + 1]
        ends = (end for wire in self.wires for end in (wire.spec.a, wire.spec.b) if end.node == node)
        return next(
            (end for end in ends if name in (wiring.device(end), *wiring.alternative_names(end))), None
        )

    def _redirect_behind_rate(self, node: str, words: list[str]) -> list[str]:
        """Redirects a ``tc`` command for the root of an interface with a rate to the queue behind
        the rate limiter."""
        end = self._end_of_command(node, words)
        if end is None or self.rate_at(end) is None or end in self.in_link:
            return words
        verb = "replace" if words[1] == "add" else words[1]
        place = words.index("root")
        return ["qdisc", verb, *words[2:place], *wiring.BEHIND_RATE, *words[place + 1 :]]

    def set_sysctl(self, host: str, name: str, value: str) -> None:
        self.namespaces.set(host, name, value)

    def set_start_jitter(self, jitter_ns: int) -> None:
        pass

    def sees_queues(self, switch: str) -> bool:
        return False

    def host(self, name: str) -> LinuxHost:
        return self._hosts[name]

    def owner(self, address: str) -> str | None:
        for host in self.topology.hosts.values():
            if any(
                interface_address.address == address
                for interface in host.interfaces
                for interface_address in interface.addresses
            ):
                return host.name
        return None

    def run(
        self, time_ns: int, traffic: LinuxTraffic | None, events: int, interrupted: Callable[[], bool]
    ) -> Literal["reached", "event_limit", "time_limit", "requested"]:
        polls = self._listening or any(source.polls for source in self.sources)
        end = min(time_ns, self.now() + (_LISTENING_NS if polls else _SLICE_NS))
        while True:
            if any(self._switches[name].has_new_messages() for name in self._listening):
                return "requested"
            if traffic is not None and traffic.finished:
                return "reached"
            ns_left = end - self.now()
            if ns_left <= 0 and self.now() >= time_ns:
                return "time_limit"
            if ns_left <= 0 or interrupted():
                return "requested" if polls else "event_limit"
            waiting: list[Any] = [] if traffic is None else list(traffic.connections)
            files = [source.fileno() for source in self.sources]
            ready = connection.wait([*waiting, *files], ns_left / 1e9)
            if any(file in files for file in ready):
                return "requested"

    def take_loop(self) -> None:
        """Returns ``None``, because real switches forward packets outside this process."""

    def subscribe(self, switch: str, digests: bool, log: bool, idle: bool) -> None:
        if log:
            refuse_virtual_only("lines of log_msg", 'run the program in world="virtual" to see them')
        self.listen(switch, digests or idle)

    def listen(self, switch: str, listens: bool) -> None:
        """Sets whether runs stop for messages of a switch."""
        if listens and isinstance(self._switches[switch], Bmv2Process):
            raise NetworkError(
                f"{switch} is simple_switch, whose digests and packets do not arrive here: use "
                'switches="weir"'
            )
        if listens:
            self._listening.add(switch)
        else:
            self._listening.discard(switch)

    def hops(self) -> NoReturn:
        refuse_virtual_only("the number of frames that passed links", "sample() counts them at ends of links")

    def events(self) -> NoReturn:
        refuse_virtual_only("events of a simulator", "nothing is simulated")

    def resource_usage(self) -> NoReturn:
        refuse_virtual_only("the simulator's memory", "nothing is simulated")

    def audit(self) -> NoReturn:
        refuse_virtual_only("an account of every packet", "sample() and Host.cmd count packets")

    def losses(self) -> LossCounts:
        return losses(
            self,
            {
                name: process
                for name, process in self._switches.items()
                if isinstance(process, SwitchProcess) and process.runs
            },
        )

    def finish_captures(self) -> None:
        for path in tuple(self._captures):
            self.finish_capture(path)

    def close(self) -> None:
        """Ends all programs and services, and removes hosts and links."""
        if not self._closed:
            self._closed = True
            # The part that was added last is closed first. An error in one part does not keep the
            # others open.
            with ExitStack() as ends:
                ends.callback(self._folder.cleanup)
                ends.callback(self.namespaces.close)
                if self._link_process is not None:
                    ends.callback(self._link_process.close)
                for process in self._switches.values():
                    ends.callback(process.close)
                for source in self.sources:
                    ends.callback(source.close_sockets)


def sees_queues(program: _core.Program) -> bool:
    """Returns whether a program can read the depth or the delay of the switch's queues."""
    core = _core.Network(0)
    core.add_switch("s", program, (0, 1), [1], 1, 0)
    return core.sees_queues("s")


def refuse_virtual_only(what: str, instead: str) -> NoReturn:
    """Refuses a call that only the virtual world supports.

    Raises:
        NetworkError: always.
    """
    raise NetworkError(f"the Linux world does not have {what}: {instead}")
