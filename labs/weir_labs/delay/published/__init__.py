"""The thesis's 120 published numbers, each with how the lab's own value comes about."""

from . import baseline, recirculations, throughput, two_switches

NUMBERS = [
    *baseline.NUMBERS,
    *recirculations.NUMBERS,
    *throughput.NUMBERS,
    *two_switches.NUMBERS,
]
