"""Measures the speed of programs, compiler, match tables, networks and telemetry on this
computer."""

from weir.bench.compiler import CompileTimes, time_compiler
from weir.bench.network import NetworkSpeed, time_network
from weir.bench.pipeline import PipelineSpeed, time_pipeline
from weir.bench.tables import TableTimes, table_names, time_table
from weir.bench.telemetry import CollectorSpeed, time_collector

__all__ = [
    "CollectorSpeed",
    "CompileTimes",
    "NetworkSpeed",
    "PipelineSpeed",
    "TableTimes",
    "table_names",
    "time_collector",
    "time_compiler",
    "time_network",
    "time_pipeline",
    "time_table",
]
