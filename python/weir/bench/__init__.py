"""How fast things are on this machine: programs from memory to memory, and the compiler."""

from weir.bench.compiler import CompileTimes, time_compiler
from weir.bench.pipeline import PipelineSpeed, time_pipeline

__all__ = ["CompileTimes", "PipelineSpeed", "time_compiler", "time_pipeline"]
