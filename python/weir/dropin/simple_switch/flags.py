"""The options of BMv2's switches."""

from __future__ import annotations

from typing import Final

from weir.dropin.options import Option, ignored_option, option, refused_option

_NANOMSG = "Weir has no nanomsg"
_LIMIT = "the number of multicast groups is not limited."

COMMON: Final[list[Option]] = [
    option("--help -h", "Show this text."),
    option("-i --interface", "A port and its interface. May be repeated.", "PORT@INTERFACE"),
    option(
        "--pcap",
        "Write the packets of each port to DIR/INTERFACE_in.pcap and DIR/INTERFACE_out.pcap.",
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
    option("--device-id", "The switch's device number. By default 0.", "N"),
    option("--log-console", "Write log lines and the output of log_msg to standard output."),
    option("--log-file", "Write log lines and the output of log_msg to FILE.txt.", "FILE"),
    option(
        "-L --log-level",
        "The log level. trace or debug: all lines; info; warn, error or off: warnings and errors.",
        "LEVEL",
    ),
    option("--no-p4", "Start without a program, which a P4Runtime controller sends later."),
    option("--version -v", "Show the version."),
    option("--json-version", "Show the version of BMv2's JSON format that Weir writes."),
    option("--drop-port", "The port that drops packets. By default 511.", "PORT"),
    option("--priority-queues", "The number of egress queues of each port. By default 1.", "N"),
    ignored_option("--nanolog", f"{_NANOMSG}: no events are published. `weir trace` shows them.", "ADDRESS"),
    ignored_option(
        "--notifications-addr", f"{_NANOMSG}: digests and idle entries go to P4Runtime.", "ADDRESS"
    ),
    ignored_option("--log-flush", "Weir always writes each line at once."),
    ignored_option("--log-file-max-size", "Weir does not rotate log files.", "BYTES"),
    ignored_option("--log-file-max-files", "Weir does not rotate log files.", "N"),
    ignored_option("--dump-packet-data", "the log never contains packets; --pcap writes them.", "BYTES"),
    ignored_option("--max-port-count", "the number of ports is not limited.", "N"),
    ignored_option("--max-mc-groups", _LIMIT, "N"),
    ignored_option("--max-l1-entries", _LIMIT, "N"),
    ignored_option("--max-l2-entries", _LIMIT, "N"),
    refused_option(
        "--use-files",
        "packets come only from interfaces; `weir trace --packet FILE` and `weir test` read files",
        "SECONDS",
    ),
    refused_option("--packet-in", f"packets come only from interfaces, and {_NANOMSG}", "ADDRESS"),
    refused_option("--restore-state", "a switch cannot store its state in a file", "FILE"),
    refused_option("--debugger", "`weir trace` shows a packet's path step by step"),
    refused_option("--debugger-addr", "`weir trace` shows a packet's path step by step", "ADDRESS"),
    refused_option("--load-modules", "programs cannot declare their own externs", "FILES"),
]
"""The options that ``simple_switch`` and ``simple_switch_grpc`` have in common."""

SIMPLE_SWITCH: Final[list[Option]] = [
    *COMMON,
    ignored_option("--enable-swap", "only P4Runtime can replace programs, not the Thrift services."),
]
"""The options of ``simple_switch``."""

GRPC: Final[list[Option]] = [
    *COMMON,
    option(
        "--grpc-server-addr",
        "The address of the P4Runtime server. By default 127.0.0.1:9559; BMv2's default is 0.0.0.0:9559.",
        "ADDRESS",
    ),
    option("--grpc-server-ssl", "Serve P4Runtime over TLS."),
    option("--grpc-server-cert", "The server's certificate, in PEM.", "FILE"),
    option("--grpc-server-key", "The certificate's key, in PEM.", "FILE"),
    option("--grpc-server-cacert", "The authority that signs clients' certificates, in PEM.", "FILE"),
    option(
        "--grpc-server-with-client-auth",
        "Accept only clients whose certificate is signed by --grpc-server-cacert.",
    ),
    option("--cpu-port", "The CPU port, for packet-in and packet-out.", "PORT"),
    ignored_option("--disable-swap", "P4Runtime can always replace programs."),
    refused_option("--dp-grpc-server-addr", "packets come only from interfaces", "ADDRESS"),
]
"""The options of ``simple_switch_grpc``."""
