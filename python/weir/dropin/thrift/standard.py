"""The service ``standard``: calls about the whole switch, and refusals of unsupported calls."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, NoReturn

from weir._core import Crc
from weir.bmv2.failing import CallRefusedError
from weir.bmv2.idl import services
from weir.bmv2.standard_cells import Cells
from weir.control.switch import Switch
from weir.dropin.bmv2_json import description

_LEARNING: Final = (
    "there are no learning lists, because digests go to P4Runtime controllers instead of nanomsg subscribers"
)


@dataclass(frozen=True)
class Ports:
    """The ports and the numbers of a switch, as the command line gives them.

    Attributes:
        interfaces: the interface of each port.
        device_id: the switch's device number.
        thrift_port: the TCP port of the Thrift services.
    """

    interfaces: Mapping[int, str]
    device_id: int
    thrift_port: int


class Standard(Cells):
    """All calls of the service ``standard``."""

    def __init__(self, switch: Switch, ports: Ports) -> None:
        super().__init__(switch)
        self._ports = ports

    # Programs

    def bm_get_config(self) -> str:
        program = self._switch.program
        document = description(program, program.headers) | {"program": program.path}
        for width in (16, 32):
            document["calculations"] += [
                {"name": name, "algo": f"crc{width}_custom", "id": number, "input": []}
                for number, name in enumerate(self._calculations(width))
            ]
        return json.dumps(document)

    def bm_get_config_md5(self) -> bytes:
        return hashlib.md5(self.bm_get_config().encode(), usedforsecurity=False).digest()

    def _calculations(self, width: int) -> list[str]:
        return self._switch.runtime.choices([f"set_crc{width}_parameters"])

    def bm_load_new_config(self, _: str) -> NoReturn:
        raise CallRefusedError(
            "CONFIG_SWAP_DISABLED", "send another program over P4Runtime, or restart the switch"
        )

    def bm_swap_configs(self) -> NoReturn:
        raise CallRefusedError(
            "NO_ONGOING_SWAP", "there is no second program to swap: send another program over P4Runtime"
        )

    def bm_get_id_from_name(self, _: int, type: int, name: str) -> int:
        kinds = services().Resource
        program = self._switch.program
        objects_by_type: dict[int, Mapping[str, object]] = {
            kinds.MATCH_TABLE: program.tables,
            kinds.ACTION_PROFILE: program.profiles,
            kinds.COUNTER: program.objects("counter"),
            kinds.METER: program.objects("meter"),
            kinds.REGISTER: program.objects("register"),
            kinds.LEARNING_LIST: {},
        }
        if type not in objects_by_type:
            raise CallRefusedError("INVALID_RESOURCE_TYPE", f"there is no type of resource {type}")
        if name not in objects_by_type[type]:
            kind = kinds._VALUES_TO_NAMES[type].lower().replace("_", " ")
            raise CallRefusedError("INVALID_RESOURCE_NAME", f'the program has no {kind} "{name}"')
        return list(objects_by_type[type]).index(name)

    # The switch

    def bm_mgmt_get_info(self) -> Any:
        return services().SwitchInfo(device_id=self._ports.device_id, thrift_port=self._ports.thrift_port)

    def bm_dev_mgr_show_ports(self) -> list[Any]:
        return [
            services().PortInfo(port_num=port, iface_name=name, is_up=self._core.is_port_up(port), extra={})
            for port, name in sorted(self._ports.interfaces.items())
        ]

    def bm_dev_mgr_add_port(self, interface: str, port: int, _: str) -> NoReturn:
        raise CallRefusedError("ERROR", f"ports are set when the switch starts: -i {port}@{interface}")

    def bm_dev_mgr_remove_port(self, port: int) -> NoReturn:
        raise CallRefusedError("ERROR", f"port {port} cannot be removed: set its interface down instead")

    def bm_reset_state(self) -> None:
        self._switch.runtime.call(["reset_state"])

    def bm_serialize_state(self) -> NoReturn:
        raise CallRefusedError(
            "ERROR", "a switch cannot store its state in a file: read its tables and objects"
        )

    # Hashes

    def bm_set_crc16_custom_parameters(self, _: int, calculation: str, crc: Any) -> None:
        self._set_crc(calculation, crc, 16)

    def bm_set_crc32_custom_parameters(self, _: int, calculation: str, crc: Any) -> None:
        self._set_crc(calculation, crc, 32)

    def _set_crc(self, calculation: str, crc: Any, width: int) -> None:
        if calculation in self._calculations(48 - width):
            raise CallRefusedError("WRONG_TYPE_CALCULATION", f"{calculation} is a crc{48 - width}_custom")
        most = (1 << width) - 1
        numbers = crc.polynomial & most, crc.initial_remainder & most, crc.final_xor_value & most
        reflected = bool(crc.data_reflected), bool(crc.remainder_reflected)
        self._core.set_crc(calculation, Crc(*numbers, *reflected))

    def bm_set_toeplitz_hash_key(self, _: int, calculation: str, __: bytes) -> NoReturn:
        raise CallRefusedError(
            "WRONG_TYPE_CALCULATION", f"{calculation}: the key of the Toeplitz hash is fixed"
        )

    # Learning

    def bm_learning_ack(self, *_: object) -> NoReturn:
        raise CallRefusedError("INVALID_LIST_ID", _LEARNING)

    bm_learning_ack_buffer = bm_learning_set_timeout = bm_learning_set_buffer_size = bm_learning_ack
