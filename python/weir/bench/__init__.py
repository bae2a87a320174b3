"""How fast things are on this machine: programs from memory to memory, the compiler, match tables."""

from weir.bench.compiler import CompileTimes, time_compiler
from weir.bench.pipeline import PipelineSpeed, time_pipeline
from weir.bench.tables import TableTimes, table_names, time_table

__all__ = [
    "CompileTimes",
    "PipelineSpeed",
    "TableTimes",
    "table_names",
    "time_compiler",
    "time_pipeline",
    "time_table",
]
