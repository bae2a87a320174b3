"""The options of p4c's compilers."""

from __future__ import annotations

from typing import Final

from weir.dropin.options import Option, ignored_option, option, refused_option
from weir.text.site import page

_ENTRIES = "Weir does not write entries; a switch has the program's entries when it starts"
_IR = "it concerns p4c's intermediate representation; `weir ir` shows Weir's"

COMMON: Final[list[Option]] = [
    option("--help -h", "Show this text."),
    option("-I", "A folder with included files. May be repeated.", "DIR"),
    option("-D", "A macro for the preprocessor. May be repeated.", "NAME[=TEXT]"),
    option("-U", "Undo a -D before it.", "NAME"),
    option("-E", "Write the preprocessor's output, and do not compile."),
    option(
        "--p4runtime-files",
        "Write P4Info into these files: text (.txt, .txtpb), JSON (.json) or binary (.bin).",
        "FILE,…",
    ),
    option("--p4runtime-file", "Write P4Info into this file, in the format of --p4runtime-format.", "FILE"),
    option("--p4runtime-format", "binary (default), json or text.", "FORMAT"),
    option("--std -x --p4v", "The language: p4-16 or 16. P4_14 is refused.", "LANGUAGE"),
    option(
        "--Wdisable",
        "Without a NAME: show no warnings. With a NAME: no effect, because Weir's warnings have other names.",
        "NAME",
        implied="",
        joined=True,
    ),
    option(
        "--Werror",
        "Without a name: warnings are errors. With a name: no effect.",
        "NAME",
        implied="",
        joined=True,
    ),
    ignored_option("--Wwarn", "p4c's warnings have other names.", "NAME", implied="", joined=True),
    ignored_option("--Winfo", "p4c's notes have other names.", "NAME", implied="", joined=True),
    ignored_option(
        "--disable-annotations --disable-annotation",
        "Weir ignores annotations that it does not know.",
        "NAMES",
        implied="",
        joined=True,
    ),
    ignored_option("--maxErrorCount", "Weir shows all errors except those caused by earlier errors.", "N"),
    ignored_option("--ndebug -g", "there is no debug information in the JSON."),
    ignored_option("-T", "Weir's compiler writes no log.", "LEVELS"),
    ignored_option("--nocpp -e", "the preprocessor does not change a program without directives."),
    ignored_option("-O0 -O1 -O2 -O3", "switches run machine code that is always optimised."),
    refused_option("--p4runtime-entries-file", _ENTRIES, "FILE"),
    refused_option("--p4runtime-entries-files", _ENTRIES, "FILES"),
    refused_option("--top4", _IR, "PASSES"),
    refused_option("--dump", _IR, "DIR"),
    refused_option("--toJSON --toJson", _IR, "FILE"),
    refused_option("--fromJSON --fromJson", _IR, "FILE"),
    refused_option(
        "--pp", "Weir does not print compiled programs; -E prints the preprocessor's output", "FILE"
    ),
]
"""The options that both of p4c's compilers have."""

BM2_SS: Final[list[Option]] = [
    *COMMON,
    option("-o", "Write the JSON into this file.", "FILE"),
    option("--version", "Show the version."),
    option("--target", "The target: bmv2.", "TARGET"),
    option("--arch", "The architecture: v1model, psa or pna.", "NAME"),
    option("-M", "Write a `make` rule with the files that the program includes, and do not compile."),
    option(
        "-MD", "Compile and also write the `make` rule, to the file of -MF or to the program's name with .d."
    ),
    option("-MF", "The file for the `make` rule.", "FILE"),
    option("-MT -MQ", "The target of the `make` rule.", "NAME"),
    ignored_option("-MG -MP", "the `make` rule never has additional lines."),
    ignored_option("-W", "it is an option of the C preprocessor.", "NAME"),
    ignored_option("-v", "Weir's compiler writes no log."),
    ignored_option("--parser-inline-opt", "Weir always expands sub-parsers once for each call."),
    ignored_option("--loopsUnroll", "Weir does not unroll loops in parsers."),
    ignored_option("--emit-externs", "the JSON contains the whole program."),
    ignored_option("--doNotEmitIncludes", "it is for programs that p4c prints."),
    ignored_option("--testJson", _IR),
    ignored_option("--excludeFrontendPasses --excludeMidendPasses", "Weir has other passes.", "PASSES"),
    ignored_option(
        "-O", "switches run machine code that is always optimised.", "LEVEL", implied="", joined=True
    ),
    refused_option(
        "--listFrontendPasses --listMidendPasses", "Weir has other passes; `weir ir --help` lists its stages"
    ),
    refused_option("--metrics", "Weir does not compute code metrics", "METRICS"),
]
"""The options of ``p4c-bm2-ss``."""

P4C: Final[list[Option]] = [
    *COMMON,
    option(
        "-o --output",
        "The folder for NAME.json and NAME.p4i (the preprocessor's output). By default the current folder.",
        "DIR",
    ),
    option("--version -V", "Show the version."),
    option("-b --target", "The target: bmv2.", "TARGET"),
    option("-a --arch", "The architecture: v1model, psa or pna.", "NAME"),
    option("-Xp4c", "Options for p4c-bm2-ss.", "OPTION"),
    option("-Xpreprocessor", "Options -I, -D or -U for the preprocessor.", "OPTION"),
    option("--help-targets --target-help --targets-help", "Show the targets."),
    ignored_option("-c --compile", "it always compiles."),
    ignored_option("-S", "there is no assembler, so compiling always stops here."),
    ignored_option("-v --debug", "Weir's compiler writes no log."),
    refused_option("-### --test-only", "the compiler calls no other programs"),
    refused_option("-Xassembler", "there is no assembler", "OPTION"),
    refused_option("-Xlinker", "there is no linker", "OPTION"),
    refused_option(
        "--help-pragmas --pragma-help --pragmas-help --help-annotations --annotation-help --annotations-help",
        f"{page('reference/status')} lists the annotations that Weir knows",
    ),
]
"""The options of the driver ``p4c``."""
