"""JSON in BMv2's form that carries a program."""

from __future__ import annotations

import functools
import json
import random
from pathlib import Path

import weir
from torture.case import Case, Failed
from torture.control.words import spoilt, spoilt_text
from torture.switch import ROOT, check_message, program
from weir.dropin.bmv2_json import bmv2_json
from weir.errors import FileError, P4Error

_PROGRAM = ROOT / "tests" / "net" / "router.p4"
_PATHS = ["/etc/passwd", "../../x", "core.p4", "", "\0", "x" * 5000, "<b>", "/dev/zero"]


@functools.cache
def _document() -> str:
    return bmv2_json(weir.compile(_PROGRAM) if _PROGRAM.exists() else program())


def compiled(chance: random.Random) -> Case:
    """The JSON with values of other types, other files in it, or damaged text."""
    text = _document()
    document = json.loads(text)
    carried = document["weir"]
    form = chance.randrange(6)
    if form < 2:
        # Parts that only controllers read do not matter here.
        document = spoilt({"program": document["program"], "weir": carried}, chance, 0.1)
    elif form == 2:
        place = chance.choice(_PATHS)
        carried["files"] = {chance.choice([place, name]): body for name, body in carried["files"].items()}
        carried["program"] = chance.choice([place, carried["program"]])
    elif form == 3:
        body = '#include "' + chance.choice([*_PATHS, carried["program"]]) + '"\n'
        carried["files"] = {name: body * chance.choice([1, 50]) for name in carried["files"]}
        carried["folders"] = chance.choice([["/etc"], ["/"], [".."], [""], ["\0"]])
    elif form == 4:
        carried["defines"] = {
            chance.choice(["A", "", "1", "é", "A B", "hdr"]): chance.choice(
                ["1", "", "\n#include </etc/passwd>\n", "x" * 10**5]
            )
        }
    text = json.dumps(document)
    if form == 5:
        text = spoilt_text(text, chance)
    content = text.encode("utf-8", "surrogatepass")

    def run(folder: Path) -> str:
        (folder / "a.json").write_bytes(content)
        try:
            weir.compile("a.json")
        except FileError as error:
            check_message(error)
            return "refused"
        except P4Error as error:
            if len(str(error)) > 100_000:
                raise Failed(f"{len(str(error))} characters: {str(error)[:500]}") from None
            # JSON carries what its program includes: no other file is read.
            if "root:x:0" in str(error):
                raise Failed("shows a file of this machine") from None
            return "invalid"
        return "compiled"

    return Case("compiled", run, {"a.json": content})
