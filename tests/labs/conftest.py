"""Results of labs that several tests need; each is made once."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

import pytest

from weir.lab import copy_lab, run_lab


def results(lab: str, variable: str, folders: pytest.TempPathFactory) -> Path:
    """A lab's results with small sizes, or the results in the folder that an environment variable
    names."""
    if variable in os.environ:
        return Path(os.environ[variable])
    base = folders.getbasetemp()
    # The first worker of xdist that needs a lab's results makes them for all workers.
    shared = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "labs"
    shared.mkdir(exist_ok=True)
    out, made = shared / lab, shared / f"{lab}.made"
    with (shared / f"{lab}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            assert not run_lab(lab, out, quick=True).failures
            made.touch()
    return out


@pytest.fixture(scope="session")
def delay(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The delay lab's results; see :func:`results`."""
    return results("delay", "WEIR_DELAY_RESULTS", tmp_path_factory)


@pytest.fixture(scope="session")
def int_report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The results of the lab int-report; see :func:`results`."""
    return results("int-report", "WEIR_INT_REPORT_RESULTS", tmp_path_factory)


@pytest.fixture(scope="session")
def queue_occupancy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The results of the lab queue-occupancy; see :func:`results`."""
    return results("queue-occupancy", "WEIR_QUEUE_OCCUPANCY_RESULTS", tmp_path_factory)


@pytest.fixture(scope="session")
def int_lab(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The results of the lab int; see :func:`results`."""
    return results("int", "WEIR_INT_RESULTS", tmp_path_factory)


@pytest.fixture(scope="session")
def load_balance(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The results of the lab load-balance; see :func:`results`."""
    return results("load-balance", "WEIR_LOAD_BALANCE_RESULTS", tmp_path_factory)


@pytest.fixture(scope="session")
def shorternet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The results of the lab shorternet; see :func:`results`."""
    return results("shorternet", "WEIR_SHORTERNET_RESULTS", tmp_path_factory)


@pytest.fixture(scope="session")
def pacing(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The results of the lab pacing; see :func:`results`."""
    return results("pacing", "WEIR_PACING_RESULTS", tmp_path_factory)


@pytest.fixture(scope="session")
def firewall(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The results of the lab firewall; see :func:`results`."""
    return results("firewall", "WEIR_FIREWALL_RESULTS", tmp_path_factory)


@pytest.fixture
def repeating(tmp_path: Path) -> Path:
    """A copy of the small lab that repeats a publication."""
    folder = tmp_path / "tiny"
    copy_lab(str(Path(__file__).parent / "tiny"), folder)
    text = (folder / "lab.py").read_text()
    (folder / "lab.py").write_text(text.replace("    parts=[", "    published=NUMBERS,\n    parts=["))
    (folder / "paper.py").write_text(
        "from weir.lab import Fitted, Predicted, Published\n"
        "def one(name, value, ours, experiment='products'):\n"
        "    return Published(ids=(name,), publication='Someone 2020', place='Table 1', experiment=experiment,\n"
        "        quantity=name, value=value, ours=ours)\n"
        "def largest(tables):\n"
        "    return float(tables.runs['value'].max())\n"
        "NUMBERS = [\n"
        "    one('met', 12.1, Predicted(part='product', value=largest, relative=0.01)),\n"
        "    one('off', 99, Predicted(part='product', value=largest, absolute=1, because='<reason>')),\n"
        "    one('set', 12, Fitted(parameter='factor', part='product', value=largest)),\n"
        "    one('words', 'some', Predicted(part='words', value=lambda tables: True), 'words'),\n"
        "]\n"
    )
    text = (folder / "lab.py").read_text()
    (folder / "lab.py").write_text(text.replace("from .exp", "from .paper import NUMBERS\nfrom .exp"))
    return folder
