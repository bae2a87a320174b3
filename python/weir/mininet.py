"""A switch class for Mininet, which runs ``weir switch`` on the interfaces of a Mininet node.

Mininet itself is not installed with Weir: Debian and Ubuntu have it as the package ``mininet``.

```python
from mininet.net import Mininet
from mininet.topo import SingleSwitchTopo
from weir.mininet import WeirSwitch

topo = SingleSwitchTopo(2, sopts={"p4": "router.p4"})
net = Mininet(topo, switch=WeirSwitch, controller=None)
```
"""

from __future__ import annotations

import atexit
import contextlib
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, ClassVar

from weir.errors import NetworkError

if TYPE_CHECKING:
    from weir.p4runtime import Client

try:
    from mininet.node import Switch
except ModuleNotFoundError:
    raise NetworkError(
        "weir.mininet needs Mininet: apt install mininet, and a Python that finds its package "
        "(Debian's is in /usr/lib/python3/dist-packages)"
    ) from None

_TIMEOUT_S = 20.0
"""The time limit for a switch to start or to end, in seconds."""


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kills the switch's process if a script did not stop the switch."""
    if process.poll() is None:
        process.kill()


class WeirSwitch(Switch):  # type: ignore[misc]
    """A node that runs ``weir switch`` on its interfaces: port 1 is its first link, and so on.

    Args:
        name: the node's name.
        p4: the program: P4 text, or JSON of our ``p4c``. ``None`` if a controller sends one.
        entries: a file with the first table entries, in the format of the tutorials'
            ``sN-runtime.json``.
        p4runtime: the address at which P4Runtime is served, such as ``"127.0.0.1:50051"`` or
            ``"unix:s1.sock"``; ``True`` for ``127.0.0.1:50051``, ``50052``, … in the order in which
            this process creates switches; ``None`` for no P4Runtime.
        device_id: the switch's number for P4Runtime; by default the number of switches that this
            process created before.
        cpu_port: the number of the port for controllers.
        pcap: a folder for captures.
        log: the file for the switch's log; by default a file that is removed at the end.
        options: more options of ``weir switch``.
        params: the parameters of Mininet's ``Switch``.
    """

    _made: ClassVar[int] = 0

    def __init__(
        self,
        name: str,
        p4: str | Path | None = None,
        entries: str | Path | None = None,
        p4runtime: str | bool | None = None,
        device_id: int | None = None,
        cpu_port: int | None = None,
        pcap: str | Path | None = None,
        log: str | Path | None = None,
        options: Sequence[str] = (),
        **params: Any,
    ) -> None:
        super().__init__(name, **params)
        number = WeirSwitch._made
        WeirSwitch._made += 1
        self.device_id = number if device_id is None else device_id
        self.p4runtime = f"127.0.0.1:{50051 + number}" if p4runtime is True else (p4runtime or None)
        if p4 is None and self.p4runtime is None:
            raise NetworkError(f"switch {name} has no program: give it p4=…, or p4runtime=… for a controller")
        self._line = [] if p4 is None else [str(p4)]
        for option, value in (
            ("--device-id", self.device_id if self.p4runtime else None),
            ("--entries", entries),
            ("--p4runtime", self.p4runtime),
            ("--cpu-port", cpu_port),
            ("--pcap", pcap),
        ):
            self._line += [] if value is None else [option, str(value)]
        self._line += options
        self._log = None if log is None else Path(log)
        self._written: IO[bytes] | None = None
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, controllers: Sequence[Any]) -> None:
        """Starts the switch, and waits until it forwards packets. Mininet calls this method.

        Raises:
            NetworkError: the switch does not start. The message contains the end of its log.
        """
        ports = ((port, intf) for port, intf in self.intfs.items() if intf.name != "lo")
        line = [sys.executable, "-m", "weir", "switch", *self._line]
        for port, intf in ports:
            line += ["-i", f"{port}@{intf.name}"]
        log = self._log
        self._written = tempfile.TemporaryFile() if log is None else log.open("w+b")  # noqa: SIM115
        self._process = self.popen(line, stdout=self._written, stderr=self._written)
        atexit.register(_end, self._process)
        end = time.monotonic() + _TIMEOUT_S
        while b" ready" not in self._read_log():
            if self._process.poll() is not None or time.monotonic() > end:
                tail = self._read_log().decode(errors="replace").strip()[-2000:]
                self.stop()
                raise NetworkError(f"switch {self.name} does not start: {tail or 'its log is empty'}")
            time.sleep(0.02)

    def _read_log(self) -> bytes:
        """Reads the switch's log so far."""
        assert self._written is not None
        # The switch writes at the same file offset, so the offset must not move.
        file = self._written.fileno()
        return os.pread(file, os.fstat(file).st_size, 0)

    def stop(self, deleteIntfs: bool = True) -> None:
        """Ends the switch. Mininet calls this method."""
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(_TIMEOUT_S)
            self._process.kill()
            self._process.wait()
        self._process = None
        if self._written is not None:
            self._written.close()
            self._written = None
        super().stop(deleteIntfs)

    def connected(self) -> bool:
        """Returns whether the switch is running.

        Mininet calls this method to wait for OpenFlow controllers, which the switch does not have.
        """
        return self._process is not None and self._process.poll() is None

    def client(self) -> Client:
        """Creates a P4Runtime client of the switch; see :class:`weir.p4runtime.Client`.

        Raises:
            NetworkError: the switch does not serve P4Runtime.
        """
        from weir.p4runtime import Client

        if self.p4runtime is None:
            raise NetworkError(f"switch {self.name} does not serve P4Runtime: create it with p4runtime=True")
        return Client(str(self.p4runtime), self.device_id)
