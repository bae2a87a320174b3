"""The thesis's 120 published numbers, each with the method that computes the lab's value."""

from . import baseline, recirculations, throughput, two_switches

NUMBERS = [
    *baseline.NUMBERS,
    *recirculations.NUMBERS,
    *throughput.NUMBERS,
    *two_switches.NUMBERS,
]
