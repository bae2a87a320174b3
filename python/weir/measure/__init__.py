"""Results of measurements, with data frames, files and plots."""

from weir._core import Drop, Exchange, InFlight, PingReply
from weir.measure.account import Account
from weir.measure.end_samples import EndSamples, LinkUse, QueueSeries
from weir.measure.fct import Fct
from weir.measure.flow import Flows, FlowStream, Interval
from weir.measure.path import Hop, TracerouteResult
from weir.measure.ping import PingMatrix, PingResult
from weir.measure.series import Series
from weir.measure.statistics import (
    coefficient_of_variation,
    jain,
    mean,
    percentile,
    rfc3550_jitter,
    standard_deviation,
)
from weir.measure.table import Table
from weir.measure.tcp import FlowResult, TcpInterval, TcpStream, TcpTrace
from weir.measure.udp import UdpInterval, UdpResult, UdpStream

__all__ = [
    "Account",
    "Drop",
    "EndSamples",
    "Exchange",
    "Fct",
    "FlowResult",
    "FlowStream",
    "Flows",
    "Hop",
    "InFlight",
    "Interval",
    "LinkUse",
    "PingMatrix",
    "PingReply",
    "PingResult",
    "QueueSeries",
    "Series",
    "Table",
    "TcpInterval",
    "TcpStream",
    "TcpTrace",
    "TracerouteResult",
    "UdpInterval",
    "UdpResult",
    "UdpStream",
    "coefficient_of_variation",
    "jain",
    "mean",
    "percentile",
    "rfc3550_jitter",
    "standard_deviation",
]
