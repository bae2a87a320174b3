"""Results of experiments and stores of telemetry whose files were damaged."""

from __future__ import annotations

import functools
import random
import shutil
import tempfile
import weakref
from pathlib import Path

import weir
from torture.case import Case
from torture.control.words import spoilt_text
from torture.packets.reports import payload
from torture.switch import check_message
from weir.errors import WeirError
from weir.experiments.result import Result
from weir.telemetry import Store


class _Folder:
    """A folder for as long as the process runs."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="torture-"))
        weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)


@functools.cache
def _result() -> _Folder:
    """The result of a small experiment."""

    @weir.experiment(x=[1, 2], name=["a", "b"])
    def small(x: int, name: str, seed: int) -> dict[str, object]:
        return {"y": x + seed % 9, "s": weir.measure.Series("t", "v", [0, 1], [x, 2])}

    kept = _Folder()
    small.run(out=kept.path / "result", seeds=2, workers=1)
    return kept


@functools.cache
def _store() -> _Folder:
    """A store with two batches."""
    chance, old_folder = random.Random(1), _Folder()
    store = Store(old_folder.path / "store")
    for batch in range(2):
        store.add([payload(chance) for _ in range(20)], [batch * 100 + n for n in range(20)])
    return old_folder


def experiments(chance: random.Random) -> Case:
    """The folder of an experiment's result with damaged files."""
    seed = chance.getrandbits(60)

    def run(folder: Path) -> str:
        shutil.copytree(_result().path / "result", folder / "result")
        _damage(folder / "result", random.Random(seed))
        try:
            result = Result.load(folder / "result")
            result.summary()
            result.series  # noqa: B018
        except WeirError as error:
            check_message(error)
            return "refused"
        return "read"

    return Case("experiments", run)


def stores(chance: random.Random) -> Case:
    """The folder of a store of telemetry with damaged files."""
    seed = chance.getrandbits(60)

    def run(folder: Path) -> str:
        own = random.Random(seed)
        shutil.copytree(_store().path / "store", folder / "store")
        _damage(folder / "store", own)
        try:
            store = Store(folder / "store")
            for ask in own.sample([store.overview, store.paths, store.losses, store.bad, store.flows], 2):
                ask()
            store.add([payload(own)], [1000])
        except WeirError as error:
            check_message(error)
            return "refused"
        return "read"

    return Case("stores", run)


def _damage(folder: Path, chance: random.Random) -> None:
    """Changes, shortens, removes or replaces a few of the files."""
    for _ in range(chance.choice([1, 1, 2])):
        paths = sorted(path for path in folder.rglob("*") if path.is_file())
        path = chance.choice(paths)
        content = path.read_bytes()
        match chance.randrange(6):
            case 0:
                path.unlink()
            case 1:
                path.write_bytes(content[: chance.randrange(len(content) + 1)])
            case 2:
                path.unlink()
                path.mkdir()
                return
            case 3 if path.suffix in (".json", ".jsonl", ".csv"):
                text = spoilt_text(content.decode(errors="replace"), chance)
                path.write_bytes(text.encode("utf-8", "replace"))
            case 4:
                path.write_bytes(
                    chance.choice(
                        [b"", b"{}", b"[]", b"null", b"\xff\xfe", b"[" * 100_000, chance.randbytes(300)]
                    )
                )
            case _:
                place = chance.randrange(len(content) + 1)
                path.write_bytes(content[:place] + chance.randbytes(4) + content[place + 4 :])
