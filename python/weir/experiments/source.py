"""Finds experiments in Python files."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

from weir.errors import ExperimentError, FileError
from weir.errors.extras import lab_extra
from weir.experiments.declaration import Experiment
from weir.files import is_file, is_folder
from weir.files.modules import module_spec
from weir.files.textfile import no_such_file
from weir.hints.usercode import experiment_files, user_code
from weir.text.suggest import listing, nearest


def load_experiments(file: str | Path) -> dict[str, Experiment]:
    """Loads the experiments that a file declares, by name, in the file's order.

    The file runs as a module, without the code under ``if __name__ == "__main__":``.

    Raises:
        FileError: the file cannot be read.
        ExperimentError: the file raises an error, or declares no experiment.
    """
    path = Path(file).resolve()
    if is_folder(path):
        example = next(iter(experiment_files(path)), None)
        raise FileError(
            "is a folder, expected a Python file with an experiment",
            file=file,
            suggestion=None if example is None else str(Path(file) / example.name),
        )
    if not is_file(path):
        raise no_such_file(file)
    name = f"weir_experiment_{path.stem}"
    spec = module_spec(name, path)
    if spec is None or spec.loader is None:
        raise ExperimentError("is not a Python file: expected a name that ends in .py", file=file)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    sys.path.insert(0, str(path.parent))
    with user_code(file, ExperimentError):
        spec.loader.exec_module(module)
    # Worker processes have no module of this name, so functions are sent to them as code.
    with lab_extra("experiments"):
        import cloudpickle

    cloudpickle.register_pickle_by_value(module)
    experiments = {value.name: value for value in vars(module).values() if isinstance(value, Experiment)}
    if not experiments:
        raise ExperimentError(
            "declares no experiment: decorate a function with @weir.experiment(...)", file=file
        )
    return experiments


def find_experiment(text: str) -> Experiment:
    """Loads the experiment that ``FILE.py`` or ``FILE.py:NAME`` names.

    Raises:
        FileError: the file cannot be read.
        ExperimentError: there is no such experiment, or there are several and no name is given.
    """
    file, colon, name = text.rpartition(":")
    if not colon or name.endswith(".py"):
        file, name = text, ""
    experiments = load_experiments(file)
    if not name and len(experiments) == 1:
        return next(iter(experiments.values()))
    if name not in experiments:
        message = (
            f'has no experiment "{name}"' if name else "has several experiments: name one with FILE.py:NAME"
        )
        raise ExperimentError(
            f"{message}; there are {listing(experiments)}",
            file=file,
            suggestion=nearest(name, experiments) if name else None,
        )
    return experiments[name]
