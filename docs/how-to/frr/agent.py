"""Keeps the tables of router.p4 equal to the routing table of the Linux computer that runs this.

    python agent.py ADDRESS INTERFACE=PORT…

ADDRESS is where the switch serves P4Runtime. Messages of netlink only wake the agent: it then reads
what the kernel has, and writes the differences. A lost message is therefore harmless.
"""

import argparse
import errno
import select
import socket
import time
from collections.abc import Iterator
from socket import AF_INET

from pyroute2 import IPRoute
from pyroute2.netlink.rtnl import RTMGRP_IPV4_IFADDR, RTMGRP_IPV4_ROUTE, RTMGRP_LINK, RTMGRP_NEIGH, rt_type

from weir.p4runtime import Client

CHANGES = RTMGRP_LINK | RTMGRP_NEIGH | RTMGRP_IPV4_IFADDR | RTMGRP_IPV4_ROUTE
BURST_S = 0.02  # what the kernel reports within this time is one change
UP = 0x1  # IFF_UP, of a link
USABLE = 0x02 | 0x04 | 0x08 | 0x10 | 0x80  # NUD_REACHABLE … NUD_PERMANENT: the neighbour has an address
TABLES = (254, 255)  # the kernel's tables main and local

Key = tuple[str, tuple[tuple[str, object], ...]]
Action = tuple[str, dict[str, object]]


def wanted(kernel: IPRoute, ports: dict[str, int]) -> dict[Key, Action]:
    """Returns the entries that the switch should have: actions by table and match."""
    found: dict[Key, Action] = {}
    index = {}  # the port of each interface
    for link in kernel.get_links():
        port = ports.get(link.get("IFLA_IFNAME"))
        if port is None or not link["flags"] & UP:
            continue
        index[link["index"]] = port
        mac = link.get("IFLA_ADDRESS")
        found["interfaces", (("std.ingress_port", port), ("hdr.ethernet.dst", mac))] = ("route", {})
        found["sources", (("std.egress_port", port),)] = ("from", {"mac": mac})
    for neighbour in kernel.get_neighbours(family=AF_INET):
        port = index.get(neighbour["ifindex"])
        if port is not None and neighbour["state"] & USABLE:
            key = (("port", port), ("next_hop", neighbour.get("NDA_DST")))
            found["neighbours", key] = ("send", {"mac": neighbour.get("NDA_LLADDR")})
    # Of several routes to a prefix, the kernel uses the one with the lowest metric.
    routes = sorted(routes_of(kernel), key=lambda route: route.get("RTA_PRIORITY") or 0, reverse=True)
    for route in routes:
        prefix = f"{route.get('RTA_DST') or '0.0.0.0'}/{route['dst_len']}"
        found["routes", (("hdr.ipv4.dst", prefix),)] = action_of(route, index)
    return found


def routes_of(kernel: IPRoute) -> Iterator:
    """Returns the IPv4 routes that the kernel looks up, without those for broadcasts."""
    kinds = {rt_type[name] for name in ("unicast", "local", "blackhole", "unreachable", "prohibit")}
    for route in kernel.get_routes(family=AF_INET):
        if route["type"] in kinds and (route.get("RTA_TABLE") or route["table"]) in TABLES:
            yield route


def action_of(route, index: dict[int, int]) -> Action:
    """Returns the action for a route. The computer itself handles what the switch cannot do."""
    hop = (route.get("RTA_MULTIPATH") or [None])[0]  # of several paths, the first
    port = index.get(hop["oif"] if hop else route.get("RTA_OIF"))
    if route["type"] != rt_type["unicast"] or port is None:
        return "computer", {}
    gateway = (hop or route).get("RTA_GATEWAY")
    if gateway is None:
        return "to_network", {"out_port": port}
    return "to_gateway", {"gateway": gateway, "out_port": port}


def update(switch: Client, entries: dict[Key, Action], new: dict[Key, Action]) -> int:
    """Changes the entries of a switch to new ones, and returns how many changes that took."""
    changed = 0
    for key in {**entries, **new}:
        before, after = entries.get(key), new.get(key)
        if before == after:
            continue
        table, match = switch.table(key[0]), dict(key[1])
        if after is None:
            table.delete(match)
        elif before is None:
            table.insert(match, *after)
        else:
            table.modify(match, *after)
        changed += 1
    return changed


def wait(reports: socket.socket) -> None:
    """Waits until the kernel reports a change, and takes all reports."""
    select.select([reports], [], [])
    time.sleep(BURST_S)
    while True:
        try:
            reports.recv(65536)
        except BlockingIOError:
            return
        except OSError as error:
            # The kernel lost reports. The agent reads everything again anyway.
            if error.errno != errno.ENOBUFS:
                raise


def main() -> None:
    """Follows the kernel until the process ends."""
    parser = argparse.ArgumentParser()
    parser.add_argument("address")
    parser.add_argument("ports", nargs="+", metavar="INTERFACE=PORT")
    given = parser.parse_args()
    ports = {name: int(port) for name, _, port in (word.partition("=") for word in given.ports)}
    with (
        socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE) as reports,
        IPRoute() as kernel,
        Client(given.address, election_id=2) as switch,
    ):
        reports.setblocking(False)
        reports.bind((0, CHANGES))
        for name in ("interfaces", "sources", "neighbours", "routes"):
            switch.table(name).clear()
        entries: dict[Key, Action] = {}
        while True:
            new = wanted(kernel, ports)
            if changed := update(switch, entries, new):
                print(f"{changed} changes, {len(new)} entries", flush=True)
            entries = new
            wait(reports)


if __name__ == "__main__":
    main()
