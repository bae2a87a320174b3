"""P4 programs: checks and compilation."""

from weir._core import (
    ActionInfo,
    CallInfo,
    KeyInfo,
    Label,
    ObjectInfo,
    OutArgument,
    ParamInfo,
    ProfileInfo,
    Suggestion,
    TableInfo,
    ValueSetInfo,
)
from weir.errors.diagnostic import Diagnostic
from weir.program.choices import EXECUTORS, TARGETS
from weir.program.compiling import (
    check,
    compile,
    compile_stages,
    dissector,
    ir,
    ir_stages,
    no_program,
    preprocess,
)
from weir.program.declared import DeclaredObjects
from weir.program.own_files import p4include
from weir.program.program import Program

__all__ = [
    "EXECUTORS",
    "TARGETS",
    "ActionInfo",
    "CallInfo",
    "DeclaredObjects",
    "Diagnostic",
    "KeyInfo",
    "Label",
    "ObjectInfo",
    "OutArgument",
    "ParamInfo",
    "ProfileInfo",
    "Program",
    "Suggestion",
    "TableInfo",
    "ValueSetInfo",
    "check",
    "compile",
    "compile_stages",
    "dissector",
    "ir",
    "ir_stages",
    "no_program",
    "p4include",
    "preprocess",
]
