"""Measures the speed of programs, compiler, match tables and networks on this machine."""

from weir.bench.compiler import CompileTimes, time_compiler
from weir.bench.network import NetworkSpeed, time_network
from weir.bench.pipeline import PipelineSpeed, time_pipeline
from weir.bench.tables import TableTimes, table_names, time_table

__all__ = [
    "CompileTimes",
    "NetworkSpeed",
    "PipelineSpeed",
    "TableTimes",
    "table_names",
    "time_compiler",
    "time_network",
    "time_pipeline",
    "time_table",
]
