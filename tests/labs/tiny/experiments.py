"""The experiments of the small lab, which need no network."""

import polars as pl

import weir

from .numbers import FACTOR


@weir.experiment(x=[1, 2, 3], n=[4], seeds=2)
def product(x: int, n: int, seed: int) -> dict[str, object]:
    """What is x times n?"""
    rows = pl.DataFrame({"step": list(range(n)), "value": [x * step for step in range(n)]})
    return {"value": FACTOR * x * n, "steps": rows}


@weir.experiment(word=["a", "b"])
def words(word: str) -> dict[str, object]:
    """How long are words?"""
    if word == "c":
        raise ValueError("c is not a word")
    return {"length": len(word)}
