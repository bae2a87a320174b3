"""The options of BMv2's switches."""

from __future__ import annotations

from typing import Final

from weir.dropin.options import Option, ignored_option, option, refused_option

_NANOMSG = "Weir has no nanomsg"
_LIMIT = "multicast groups have no such limit."

COMMON: Final[list[Option]] = [
    option("--help -h", "Show this text."),
    option("-i --interface", "A port and its interface. May be repeated.", "PORT@INTERFACE"),
    option(
        "--pcap",
        "Write what passes each port into DIR/INTERFACE_in.pcap and DIR/INTERFACE_out.pcap.",
        "DIR",
        implied=".",
    ),
    option("--thrift-port", "The TCP port of the Thrift services. By default 9090.", "PORT"),
    option(
        "--thrift-address",
        "The IP address of the Thrift services. By default 127.0.0.1; 0.0.0.0 lets other computers control "
        "the switch. BMv2 has no such option and listens at 0.0.0.0.",
        "ADDRESS",
    ),
    option("--device-id", "The switch's number. By default 0.", "N"),
    option("--log-console", "Write log lines, and what log_msg writes, to standard output."),
    option("--log-file", "Write these lines to FILE.txt instead.", "FILE"),
    option("-L --log-level", "trace or debug: all; info; warn, error or off: warnings and errors.", "LEVEL"),
    option("--no-p4", "Begin without a program: a P4Runtime controller sends one."),
    option("--version -v", "Show the version."),
    option("--json-version", "Show the version of BMv2's JSON format that Weir's JSON stands in for."),
    option("--drop-port", "The port that drops packets. By default 511.", "PORT"),
    option("--priority-queues", "Egress queues of each port. By default 1.", "N"),
    ignored_option("--nanolog", f"{_NANOMSG}: no events are published. `weir trace` shows them.", "ADDRESS"),
    ignored_option(
        "--notifications-addr", f"{_NANOMSG}: digests and idle entries go to P4Runtime.", "ADDRESS"
    ),
    ignored_option("--log-flush", "each line is written at once."),
    ignored_option("--log-file-max-size", "log files are not rotated.", "BYTES"),
    ignored_option("--log-file-max-files", "log files are not rotated.", "N"),
    ignored_option("--dump-packet-data", "packets are not in the log; --pcap writes them.", "BYTES"),
    ignored_option("--max-port-count", "any number of ports is possible.", "N"),
    ignored_option("--max-mc-groups", _LIMIT, "N"),
    ignored_option("--max-l1-entries", _LIMIT, "N"),
    ignored_option("--max-l2-entries", _LIMIT, "N"),
    refused_option(
        "--use-files",
        "packets come from interfaces only; `weir trace --packet FILE` and `weir test` take files",
        "SECONDS",
    ),
    refused_option("--packet-in", f"packets come from interfaces only, and {_NANOMSG}", "ADDRESS"),
    refused_option("--restore-state", "the state of a switch has no file", "FILE"),
    refused_option("--debugger", "`weir trace` shows a packet's path step by step"),
    refused_option("--debugger-addr", "`weir trace` shows a packet's path step by step", "ADDRESS"),
    refused_option("--load-modules", "a program cannot declare externs of its own", "FILES"),
]
"""Options of both switches."""

SIMPLE_SWITCH: Final[list[Option]] = [
    *COMMON,
    ignored_option("--enable-swap", "P4Runtime replaces programs; the Thrift services do not."),
]
"""Options of ``simple_switch``."""

GRPC: Final[list[Option]] = [
    *COMMON,
    option(
        "--grpc-server-addr",
        "Where P4Runtime is served. By default 127.0.0.1:9559; BMv2's default is 0.0.0.0:9559.",
        "ADDRESS",
    ),
    option("--grpc-server-ssl", "Serve P4Runtime over TLS."),
    option("--grpc-server-cert", "The server's certificate, in PEM.", "FILE"),
    option("--grpc-server-key", "The certificate's key, in PEM.", "FILE"),
    option("--grpc-server-cacert", "The authority of clients' certificates, in PEM.", "FILE"),
    option(
        "--grpc-server-with-client-auth", "Accept only clients with a certificate of --grpc-server-cacert."
    ),
    option("--cpu-port", "The port of controllers, for packet-in and packet-out.", "PORT"),
    ignored_option("--disable-swap", "P4Runtime always replaces programs."),
    refused_option("--dp-grpc-server-addr", "packets come from interfaces only", "ADDRESS"),
]
"""Options of ``simple_switch_grpc``."""
