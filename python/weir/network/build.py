"""Builds a network from its topology."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from weir import _core, routing
from weir.clock import Clock
from weir.control.listeners import Listeners
from weir.control.profile import Profile
from weir.control.switch import Switch
from weir.errors import CommandFileError, ControlError, NetworkError, shown
from weir.files import is_there
from weir.files.textfile import no_such_file
from weir.links.link import Link
from weir.network.computer import Computer, shared_computer
from weir.network.port_numbers import check_ports
from weir.network.port_queue import PortQueue
from weir.owners.world import World
from weir.program import Program, compile, no_program
from weir.text.suggest import listing
from weir.topology import SwitchSpec, Topology

if TYPE_CHECKING:
    from weir import _core_contracts as cores

MAX_THREADS = 256
"""The maximum number of threads that simulate a network."""


def known_topology(topology: Topology | str | Path) -> Topology:
    """Returns a given topology unchanged, or reads the topology from the file with this name.

    Raises:
        FileError, TopologyError: the file cannot be read, or its contents are wrong.
        NetworkError: the value is neither a topology nor a name.
    """
    if isinstance(topology, (str, Path)):
        return Topology.load(topology)
    if not isinstance(topology, Topology):
        raise NetworkError(
            f"topology: expected a weir.Topology, or the name of a topology.json, found {shown(topology)}"
        )
    return topology


def checked_seed(seed: int) -> int:
    """Checks a seed, and returns it.

    Raises:
        NetworkError: the value is not a valid seed.
    """
    expected = "expected 0 to 2**63 - 1"
    if isinstance(seed, bool) or not isinstance(seed, int):
        number = seed.strip() if isinstance(seed, str) else ""
        suggestion = number if number.isdecimal() and number.isascii() else None
        raise NetworkError(f"the seed {shown(seed)} is not a whole number: {expected}", suggestion=suggestion)
    if not 0 <= seed < 1 << 63:
        raise NetworkError(f"the seed {shown(seed)} is out of range: {expected}")
    return seed


def checked_threads(threads: int) -> int:
    """Checks a number of threads, and returns it.

    Raises:
        NetworkError: the value is not a valid number of threads.
    """
    expected = f"expected 1 to {MAX_THREADS}"
    if isinstance(threads, bool) or not isinstance(threads, int):
        raise NetworkError(f"threads: {shown(threads)} is not a whole number: {expected}")
    if not 1 <= threads <= MAX_THREADS:
        raise NetworkError(f"threads: {threads} is out of range: {expected}")
    return threads


def known_profile(profile: str | Profile) -> Profile:
    """Returns a given profile unchanged, or finds the profile with this name.

    Raises:
        NetworkError: there is no profile of that name.
    """
    if isinstance(profile, Profile):
        return profile
    if not isinstance(profile, str):
        raise NetworkError(
            f"profile: expected the name of a profile or a weir.Profile, found {shown(profile)}"
        )
    return Profile.named(profile)


ON_COMPUTER: Final = Profile("computer", 0, 10**9, "the time of a pass is that of the network's computer")
"""The profile that switches get in place of their own if they share a computer."""


def known_computer(
    topology: Topology, given: str | Path | Computer | None, profile: str | Profile
) -> Computer | None:
    """Finds the computer that a network's nodes share: that of the argument, of the topology, or of
    the process, in this order.

    Returns ``None`` if none of them names a computer.

    Raises:
        NetworkError: there is no such computer, or switches also have timing profiles.
        FileError: its file cannot be read.
    """
    chosen = topology.computer if given is None else given
    chosen = shared_computer() if chosen is None else chosen
    if chosen is None:
        return None
    if not isinstance(chosen, (str, Path, Computer)):
        raise NetworkError(
            f"computer: expected the name of a computer or a weir.Computer, found {shown(chosen)}"
        )
    computer = chosen if isinstance(chosen, Computer) else Computer.named(chosen)
    with_profile = [name for name, switch in topology.switches.items() if switch.profile is not None]
    if with_profile or profile != "default":
        source = f"{with_profile[0]} has one in the topology" if with_profile else "profile=, or --profile"
        raise NetworkError(
            f"both the computer {computer.name} and a timing profile ({source}) set the time of a switch: "
            "leave one of them out"
        )
    return computer


def add_switches(
    world: World,
    topology: Topology,
    index: _core.TopologyIndex,
    seed: int,
    p4: str | Path | Program | None,
    profile: str | Profile,
    include: list[str | Path],
    executor: str | None,
    waits: bool,
) -> dict[str, Switch]:
    """Adds the switches with their programs to a world, without table entries.

    A switch without a program runs a default program or, if ``waits`` is true, waits until a
    controller sends one.

    Raises:
        P4Error, FileError: a program cannot be read or has errors.
        NetworkError: a switch has no program, or a port that its program cannot have; or there is
            no such profile or executor.
    """
    programs: dict[Path, Program] = {}

    def compile_once(path: str | Path) -> Program:
        key = Path(path)
        if key not in programs:
            programs[key] = compile(path, include, executor=executor)
        return programs[key]

    if p4 is not None and not isinstance(p4, (str, Path, Program)):
        raise NetworkError(
            f"p4: expected the name of a P4 program, or a program from weir.compile, found {shown(p4)}"
        )
    default = compile_once(p4) if isinstance(p4, (str, Path)) else p4
    if default is not None and executor is not None:
        default = default.with_executor(executor)
    usual = known_profile(profile)
    if not topology.switches:
        _refuse_options_of_switches(default, include, executor, usual)
    otherwise: Program | None = None
    switches = {}
    for number, (name, spec) in enumerate(topology.switches.items()):
        program = default if spec.p4 is None else compile_once(spec.p4)
        if program is None:
            if spec.entries is not None or spec.commands is not None:
                raise NetworkError(
                    f"switch {name} has entries but no P4 program: give one for all switches (p4=…, "
                    "or --p4), or for this one"
                )
            otherwise = program = otherwise or (
                no_program() if waits else compile_once(usual_program(topology))
            )
        if not (waits and program is otherwise):
            check_ports(topology, name, program)
        switch_profile = usual if spec.profile is None else Profile.named(spec.profile)
        ports = index.ports(name)
        if spec.cpu_port is not None:
            ports = sorted({*ports, spec.cpu_port})
        timing = switch_profile.pass_latency_ns, switch_profile.capacity
        world.core.add_switch(name, program._core, timing, ports, spec.priorities, seed + number)
        switches[name] = world.switch(name, program, switch_profile)
        if waits and program is otherwise:
            switches[name]._core.wait_for_program()
    if default is not None and switches and all(spec.p4 is not None for spec in topology.switches.values()):
        listed_programs = listing([f"{name}: {spec.p4}" for name, spec in topology.switches.items()])
        raise NetworkError(
            f"no switch would run {default.path}: the topology names a program for each ({listed_programs}); "
            "leave out p4 (--p4), or change the topology"
        )
    return switches


def _refuse_options_of_switches(
    program: Program | None, include: list[str | Path], executor: str | None, profile: Profile
) -> None:
    """Refuses options of switches if the topology has no switches.

    Raises:
        NetworkError: such an option is given.
    """
    if program is not None:
        raise NetworkError(
            f"no switch would run {program.path}: the topology has no switches; leave out p4 (--p4), "
            "or add one"
        )
    for given, name, option in (
        (executor is not None, "executor", "--executor"),
        (bool(include), "include", "-I"),
        (profile.name not in ("default", ON_COMPUTER.name), "profile", "--profile"),
    ):
        if given:
            raise NetworkError(
                f"{name} ({option}) is for switches, and the topology has none; leave it out, or add a switch"
            )


def usual_program(topology: Topology) -> str:
    """Chooses the default program, from :mod:`weir.programs`, for switches without a program.

    The default is a learning switch if all hosts are in one network without a gateway, otherwise a
    router.
    """
    hosts = topology.hosts.values()
    networks = {
        address.network for host in hosts for interface in host.interfaces for address in interface.addresses
    }
    families = {network.version for network in networks}
    bridged = len(networks) == len(families) and not any(
        route.gateway for host in hosts for route in host.routes
    )
    return "l2_switch" if bridged else "router"


def add_hosts(core: cores.Network, topology: Topology, jitter_ns: int) -> None:
    """Adds the hosts; ``jitter_ns`` is the processing jitter of hosts without their own setting."""
    for name, spec in topology.hosts.items():
        interfaces = [
            (interface.mac, [str(address) for address in interface.addresses], interface.mtu)
            for interface in spec.interfaces
        ]
        routes = [(route.network, route.gateway, route.interface) for route in spec.routes]
        neighbours = [(spec.arp_interfaces.get(ip, 0), ip, mac) for ip, mac in spec.arp.items()]
        jitter = spec.processing_jitter_ns or jitter_ns
        core.add_host(name, interfaces, routes, neighbours, spec.processing_ns, jitter)


def add_links(core: cores.Network, topology: Topology) -> list[Link]:
    """Adds the links, after switches and hosts."""
    links = []
    for spec in topology.links:
        number = core.connect(
            spec.a.node,
            spec.a.number,
            spec.b.node,
            spec.b.number,
            spec.rate_bps,
            spec.delay_ns,
            spec.loss,
        )
        links.append(Link(core.link(number), spec))
    return links


def add_controllers(world: World, topology: Topology, clock: Clock, switches: Mapping[str, Switch]) -> None:
    """Connects a controller to each switch whose CPU port has no link.

    The links must have been added before.
    """
    for name, spec in topology.switches.items():
        switch = switches[name]
        switch._listeners = Listeners(world.core, clock, switch)
        if spec.cpu_port is not None and spec.cpu_port not in topology.ports(name):
            switch._controller = world.controller(switch, clock, spec.cpu_port)


def configure(core: cores.Network, topology: Topology, links: Sequence[Link]) -> None:
    """Applies host settings that need links, such as queueing disciplines and interfaces that are
    down."""
    for name, host in topology.hosts.items():
        for setting, value in host.sysctls:
            core.set_sysctl(name, setting, value)
        for line in host.tc:
            core.tc(name, line)
    for link, spec in zip(links, topology.links, strict=True):
        for node, line in spec.tc:
            core.tc(node, line)
        for end in (spec.a, spec.b):
            if end.node in topology.hosts and not topology.hosts[end.node].interfaces[end.number].up:
                link.up = False


def set_queues(
    core: cores.Network, topology: Topology, switches: Mapping[str, Switch], links: Sequence[Link]
) -> dict[tuple[str, int], Callable[[], None]]:
    """Sets the rates and depths of the switches' queues.

    Returns:
        The functions that adapt a port's queues to its link, by switch and port.
    """
    sees_queues: dict[Program, bool] = {}

    def queues_in_switch(own: SwitchSpec) -> bool:
        """Returns whether packets wait in the switch's queues instead of at its links."""
        if own.queue_rate != "auto" or own.queue_depth is not None or own.priorities > 1:
            return own.queue_rate in ("auto", "link")
        if not switches[own.name].has_program:
            # A program that a controller sends later may read queue metadata.
            return True
        program = switches[own.name].program
        if program not in sees_queues:
            sees_queues[program] = core.sees_queues(own.name)
        return sees_queues[program]

    followers = {own.name for own in topology.switches.values() if queues_in_switch(own)}
    following: dict[tuple[str, int], Callable[[], None]] = {}
    for link, spec in zip(links, topology.links, strict=True):
        for end in (spec.a, spec.b):
            own = topology.switches.get(end.node)
            if own is None:
                continue
            switch, port = switches[end.node], end.number
            if own.name in followers:
                interface = core.interface(end.node, port)
                queue = PortQueue(switch, port, link._core, interface, own.queue_depth)
                following[end.node, port] = queue.follow
                link._followers.append(queue.follow)
                continue
            if own.queue_rate not in (None, "auto"):
                switch.set_queue_rate(own.queue_rate, port)
            if own.queue_depth is not None:
                switch.set_queue_depth(own.queue_depth, port)
    return following


def load_entries(topology: Topology, switches: Mapping[str, Switch]) -> list[ControlError]:
    """Loads the switches' entries from the topology's files, and computes the entries of other
    switches.

    Returns the errors of runtime commands that failed.

    Raises:
        ControlError, FileError: a file cannot be read, or a document does not fit the program.
    """
    failed: list[ControlError] = []
    routing.fill(topology, switches)
    for name, spec in topology.switches.items():
        for file, description in ((spec.entries, "entries"), (spec.commands, "commands")):
            if isinstance(file, Path) and not is_there(file):
                # The topology's own file name is often the nearest suggestion, but it is never
                # right.
                raise no_such_file(
                    file, () if topology.file is None else (topology.file,), f"{description} of {name}"
                )
        if spec.entries is not None:
            switches[name].load_entries(spec.entries)
        if spec.commands is not None:
            try:
                switches[name].run_commands(spec.commands)
            except CommandFileError as error:
                failed += error.errors
    return failed
