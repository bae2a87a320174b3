"""Experiments: measure a network over parameters and seeds.

>>> @weir.experiment(rate=["1Mbit", "10Mbit"], queue=["16p", "64p"], seeds=10)   # doctest: +SKIP
... def bufferbloat(rate, queue, seed):
...     with weir.Network(shapes.dumbbell(1, middle_rate=rate, queue=queue), seed=seed) as net:
...         ...
...         return {"rtt_p99_ms": ping.rtts.percentile(99)}
>>> result = bufferbloat.run(out="out/bufferbloat")                              # doctest: +SKIP
>>> result.plot(x="queue", y="rtt_p99_ms", hue="rate")                           # doctest: +SKIP
"""

from weir.experiments.compare import Comparison, compare
from weir.experiments.declaration import Experiment, experiment
from weir.experiments.intervals import Difference, Estimate, student
from weir.experiments.parameters import when, zipped
from weir.experiments.result import Result

__all__ = [
    "Comparison",
    "Difference",
    "Estimate",
    "Experiment",
    "Result",
    "compare",
    "experiment",
    "student",
    "when",
    "zipped",
]
