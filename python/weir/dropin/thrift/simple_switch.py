"""The services ``simple_switch``, ``simple_pre_lag`` and ``weir``."""

from __future__ import annotations

import json
import re
import time
from typing import Any

from weir.bmv2.failing import CallRefusedError
from weir.bmv2.idl import services
from weir.control.switch import Switch
from weir.text.digits import whole_number


class SimpleSwitch:
    """The service ``simple_switch``: clone sessions, queues and times."""

    def __init__(self, switch: Switch) -> None:
        self._switch = switch

    def mirroring_session_add(self, session: int, config: Any) -> None:
        if config.port is None and config.mgid is None:
            raise CallRefusedError("SESSION_NOT_FOUND", "a session needs a port or a multicast group")
        self._switch.set_clone_session(session, config.port, group=config.mgid)

    def mirroring_session_delete(self, session: int) -> None:
        self.mirroring_session_get(session)
        self._switch.delete_clone_session(session)

    def mirroring_session_get(self, session: int) -> Any:
        clone_session = self._switch.clone_sessions().get(session)
        if clone_session is None:
            raise CallRefusedError("SESSION_NOT_FOUND", f"there is no clone session {session}")
        return services().CloneSession(port=clone_session.port, mgid=clone_session.group)

    def mirroring_mapping_add(self, session: int, port: int) -> int:
        self._switch.set_clone_session(session, port)
        return 0

    def mirroring_mapping_delete(self, session: int) -> int:
        if session not in self._switch.clone_sessions():
            return 1
        self._switch.delete_clone_session(session)
        return 0

    def mirroring_mapping_get_egress_port(self, session: int) -> int:
        clone_session = self._switch.clone_sessions().get(session)
        return -1 if clone_session is None or clone_session.port is None else clone_session.port

    def set_egress_priority_queue_depth(self, port: int, priority: int, packets: int) -> int:
        self._switch.set_queue_depth(packets, port, priority)
        return 0

    def set_egress_queue_depth(self, port: int, packets: int) -> int:
        self._switch.set_queue_depth(packets, port)
        return 0

    def set_all_egress_queue_depths(self, packets: int) -> int:
        self._switch.set_queue_depth(packets)
        return 0

    def set_egress_priority_queue_rate(self, port: int, priority: int, rate: int) -> int:
        self._switch.set_queue_rate(_rate(rate), port, priority)
        return 0

    def set_egress_queue_rate(self, port: int, rate: int) -> int:
        self._switch.set_queue_rate(_rate(rate), port)
        return 0

    def set_all_egress_queue_rates(self, rate: int) -> int:
        self._switch.set_queue_rate(_rate(rate))
        return 0

    def get_time_elapsed_us(self) -> int:
        return self._switch.now_ns // 1000

    def get_time_since_epoch_us(self) -> int:
        return time.time_ns() // 1000


def _rate(rate: int) -> str | None:
    """Formats a rate in packets per second; returns ``None`` for 0, which means no limit."""
    return f"{rate}pps" if rate > 0 else None


class Multicast:
    """The service ``simple_pre_lag``, which runs commands on multicast groups, nodes and link
    aggregation groups."""

    def __init__(self, switch: Switch) -> None:
        self._switch = switch

    def _call(self, *words: object) -> list[str]:
        return self._switch.runtime.call([str(word) for word in words])

    def bm_mc_mgrp_create(self, _: int, group: int) -> int:
        self._call("mc_mgrp_create", group)
        return group

    def bm_mc_mgrp_destroy(self, _: int, group: int) -> None:
        self._call("mc_mgrp_destroy", group)

    def bm_mc_node_create(self, _: int, rid: int, ports: str, lags: str | None = None) -> int:
        [line] = self._call("mc_node_create", rid, *_numbers(ports), "|", *_numbers(lags or ""))
        [node] = re.findall(r"\d+", line)
        return int(node)

    def bm_mc_node_update(self, _: int, node: int, ports: str, lags: str | None = None) -> None:
        self._call("mc_node_update", node, *_numbers(ports), "|", *_numbers(lags or ""))

    def bm_mc_node_associate(self, _: int, group: int, node: int) -> None:
        self._call("mc_node_associate", group, node)

    def bm_mc_node_dissociate(self, _: int, group: int, node: int) -> None:
        self._call("mc_node_dissociate", group, node)

    def bm_mc_node_destroy(self, _: int, node: int) -> None:
        self._call("mc_node_destroy", node)

    def bm_mc_set_lag_membership(self, _: int, lag: int, ports: str) -> None:
        self._call("mc_set_lag_membership", lag, *_numbers(ports))

    def bm_mc_get_entries(self, _: int) -> str:
        groups: list[dict[str, Any]] = []
        first: list[dict[str, Any]] = []
        second: list[dict[str, Any]] = []
        lags: list[dict[str, Any]] = []
        for line in self._call("mc_dump"):
            words = line.replace(",", "").replace(":", "").split()
            if words[0] == "group":
                groups.append({"id": int(words[1]), "l1_handles": []})
            elif words[0] == "lag":
                lags.append({"id": int(words[1]), "ports": _whole_numbers(words[3:])})
            elif words[0] == "node":
                node, rid = int(words[1]), int(words[3])
                end = words.index("lags") if "lags" in words else len(words)
                first.append({"handle": node, "rid": rid, "l2_handle": node})
                second.append(
                    {
                        "handle": node,
                        "ports": _whole_numbers(words[5:end]),
                        "lags": _whole_numbers(words[end + 1 :]),
                    }
                )
                if line.startswith(" "):
                    groups[-1]["l1_handles"].append(node)
        return json.dumps({"mgrps": groups, "l1_handles": first, "l2_handles": second, "lags": lags})


def _numbers(bits: str) -> list[int]:
    """Returns the positions of the digit 1 in a string of binary digits, whose last digit
    has position 0."""
    return [number for number, bit in enumerate(reversed(bits)) if bit == "1"]


def _whole_numbers(words: list[str]) -> list[int]:
    return [number for word in words if (number := whole_number(word)) is not None]


class Commands:
    """The service ``weir``, which runs runtime commands."""

    def __init__(self, switch: Switch) -> None:
        self._switch = switch

    def run(self, line: str) -> list[str]:
        return self._switch.runtime.run(line)
