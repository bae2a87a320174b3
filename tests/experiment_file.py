"""A file with experiments, and the experiments of a file."""

FILE = '''
"""Experiments for tests."""

import os
import random
import time

import weir


@weir.experiment(rate=["1Mbit", "10Mbit"], queue=[16, 64, 256], seeds=4)
def noisy(rate, queue, seed):
    """How noisy is noise?

    It depends."""
    time.sleep(float(os.environ.get("SLOW", "0")))
    choose = random.Random(seed)
    print("queue", queue)
    times = [number / 10 for number in range(5)]
    return {
        "delay_ms": queue / int(rate.removesuffix("Mbit")) + choose.random(),
        "good": choose.random() < 0.5,
        "course": weir.measure.Series("course", "ms", [int(t * 1e9) for t in times], [queue * t for t in times]),
    }


@weir.experiment(x=[1, 2, 3], seeds=2)
def failing(x, seed):
    if x == 2:
        raise ValueError("two is too many")
    return {"double": 2 * x}


@weir.experiment(x=[1, 2, 3, 4])
def dying(x):
    if x == 3:
        os.kill(os.getpid(), 9)
    return x
'''


def load(file, name):
    from weir.experiments.source import load_experiments

    return load_experiments(file)[name]
