"""TCP flows between real hosts, and their reports."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final

from weir.errors import NetworkError
from weir.linux.agent import Agent
from weir.linux.traffic import LinuxTraffic
from weir.measure.series import numbers

if TYPE_CHECKING:
    from weir._core import FlowSettings, TcpOptionsOf, TcpReport, TcpSettings
    from weir.linux.network_base import NetworkBase

_CLOSE_TIMEOUT_S: Final = 1.0
"""The seconds to wait until the other host also closes a connection."""

_NOT_IN_LINUX: Final = ("cubic-rfc", "bbr-draft")


def check_options(options: TcpOptionsOf) -> None:
    """Refuses TCP options that Linux does not support.

    Raises:
        NetworkError: an option is not supported.
    """
    if options["congestion"] in _NOT_IN_LINUX:
        raise NetworkError(
            f'congestion: Linux has no "{options["congestion"]}": expected reno, cubic or bbr, or '
            'world="virtual"'
        )
    for name in ("ecn", "sack"):
        if options[name] is not None:
            raise NetworkError(
                f"{name}: in Linux, this is a setting of a whole host; set it in the topology or with "
                f'host.cmd("sysctl -w net.ipv4.tcp_{name}=1") at both hosts'
            )


class TcpTraffic(LinuxTraffic):
    """A running TCP flow.

    Args:
        network: the network of the hosts.
        host: the host that opens the connection.
        servers: the hosts that may accept the connection.
        flow: the settings of the flow, as in ``weir._core.Host.start_tcp``.
        tcp: the settings of TCP, as in the same call.
        options: the options of the connection.
    """

    def __init__(
        self,
        network: NetworkBase,
        host: str,
        servers: list[str],
        flow: FlowSettings,
        tcp: TcpSettings,
        options: TcpOptionsOf,
    ) -> None:
        check_options(options)
        if tcp["trace"]:
            raise NetworkError("trace: the kernel does not report single segments; use sniff() or capture()")
        self._network, self._flow = network, flow
        address, port = flow["to"]
        plan = (
            flow["pattern"], flow["length"], flow["duration_ns"], tcp["bytes"], flow["interval_ns"], options, flow["tos"],
        )  # fmt: skip
        self._servers = [network.servers.take("tcp.TcpServer", name, port, address, port) for name in servers]
        for server in self._servers:
            server.ask("mark", flow["tos"])
        self._first = [server.ask("count") for server in self._servers]
        if flow["reverse"]:
            for server in self._servers:
                server.ask("add", plan)
        client = Agent(
            network.namespaces, host, "tcp.TcpClient", network.origin,
            (address, port), plan, flow["reverse"], tcp["ip_options"],
        )  # fmt: skip
        super().__init__(client)
        self._client = client
        # The index of the server that accepted the connection, and the connection's number at this
        # server.
        self._accepted: tuple[int, int] | None = None
        self._report: TcpReport | None = None

    def settle(self) -> None:
        """Stores the report, and ends the services."""
        if self._flow["reverse"]:
            self._await_sender()
        self._report = self._make()
        for server in self._servers:
            self._network.servers.release(server)
        self.close()

    def _await_sender(self) -> None:
        """Waits a short time for the last acknowledgements, which the client does not receive."""
        accepted = self._find(self._client.ask("report")["port"])
        end = time.monotonic() + _CLOSE_TIMEOUT_S
        while accepted is not None and time.monotonic() < end:
            if self._servers[accepted[0]].ask("report", accepted[1])["outcome"] is not None:
                return
            time.sleep(0.002)

    def stop(self) -> None:
        """Stops sending data on the connection."""
        if not self._done:
            self._ask_sender("stop")

    def pace(self, rate_bps: int | None) -> None:
        """Paces the data that is sent at a rate in bits per second."""
        if not self._done:
            self._ask_sender("pace", rate_bps)

    def _ask_sender(self, what: str, *arguments: Any) -> None:
        accepted = self._find(self._client.ask("report")["port"])
        if self._flow["reverse"] and accepted is not None:
            self._servers[accepted[0]].ask(what, accepted[1], *arguments)
        else:
            self._client.ask(what, *arguments)

    def _find(self, client_port: int) -> tuple[int, int] | None:
        """Finds the index of the server that accepted the connection, and the connection's number
        at this server."""
        if self._accepted is None:
            for place, server in enumerate(self._servers):
                number = server.ask("find", client_port, self._first[place])
                if number is None and server.ask("count") == self._first[place] + 1:
                    # A data plane has changed the port, so the server's only new connection is this
                    # one.
                    number = self._first[place]
                if number is not None:
                    self._accepted = place, number
                    break
        return self._accepted

    def tcp(self) -> TcpReport:
        """Returns the report of the flow: the bytes that have arrived so far, and the sender's
        figures."""
        return self._report or self._make()

    def _make(self) -> TcpReport:
        client = self._client.ask("report")
        accepted = self._find(client["port"])
        nothing: dict[str, Any] = {"received": (b"", b""), "figures": None, "samples": []}
        server = nothing if accepted is None else self._servers[accepted[0]].ask("report", accepted[1])
        sender, receiver = (server, client) if self._flow["reverse"] else (client, server)
        times, counts = map(numbers, receiver["received"])
        outcome = client["outcome"]
        if outcome == "reset" and server.get("outcome") == "timed out":
            # The server gave up first, and the client's kernel has reported that.
            outcome = "timed out"
        failure = outcome if outcome == "no route to the target" else None
        return {
            "source_port": client["port"],
            "started": client["started"],
            "connected": client["connected"],
            "server": None if accepted is None else accepted[0],
            "received": counts[-1] if counts else 0,
            "arrivals": (times[0], times[-1]) if times else None,
            "failure": failure,
            "closed": outcome,
            "ip_options": b"",
            "figures": sender["figures"],
            "intervals": self._intervals(client["started"], times, counts, sender),
            "deliveries": [b"", b""],
            "trace": [b""] * 8,
        }

    def _intervals(self, begun: int, times: Any, counts: Any, sender: dict[str, Any]) -> list[Any]:
        length = self._flow["interval_ns"]
        if length is None:
            return []
        duration = self._flow["duration_ns"]
        end = max(times[-1] if times else begun, 0 if duration is None else begun + duration)
        end = min(end, self._network.now())
        samples = [*sender["samples"], *([] if sender["figures"] is None else [sender["figures"]])]
        intervals, place, previous = [], 0, {"bytes": 0, "acked": 0, "retransmits": 0, "timeouts": 0}
        for number in range(max(1, -(-(end - begun) // length))):
            until, received = begun + (number + 1) * length, previous["bytes"]
            while place < len(times) and times[place] < until:
                received = counts[place]
                place += 1
            state = samples[min(number, len(samples) - 1)] if samples else None
            after = {
                "bytes": received,
                **{key: previous[key] for key in ("acked", "retransmits", "timeouts")},
            }
            if state is not None:
                after |= {key: state[key] for key in ("acked", "retransmits", "timeouts")}
            unknown = after["timeouts"] is None
            intervals.append(
                (
                    received - previous["bytes"],
                    after["acked"] - previous["acked"],
                    after["retransmits"] - previous["retransmits"],
                    None if unknown else after["timeouts"] - previous["timeouts"],
                    0 if state is None else state["cwnd"],
                    0 if state is None else state["srtt"],
                )
            )
            previous = after
        return intervals
