"""The paper's results for its two scenarios: BMv2 in Mininet, means of 10 runs."""

from __future__ import annotations

from typing import Final

CITATION: Final = (
    "Elie F. Kfoury, Jorge Crichigno, Elias Bou-Harb, David Khoury, Gautam Srivastava: Enabling TCP Pacing using "
    "Programmable Data Plane Switches. Numbers are from its tables I and II."
)
"""The publication from which the results come."""

PUBLICATION: Final = "Kfoury and others"
"""The paper's short name, in tables of published numbers."""

TOTALS: Final = {
    "regular": (33.62, 67.27, 88.83, 91.86),
    "htb": (81.25, 93.1, 94.42, 95.12),
    "fq": (66.59, 89.91, 93.72, 94.52),
}
"""Table I, scenario 2: throughput of all hosts in the periods P1 to P4, in Mbit/s."""

THROUGHPUT: Final = {
    "regular": ((33.62,), (36.06, 31.21), (31.27, 30.61, 26.95), (25.32, 24.63, 25.32, 16.59)),
    "htb": ((81.25,), (46.40, 46.70), (31.40, 31.37, 31.65), (23.78, 23.75, 23.73, 23.86)),
    "fq": ((66.59,), (45.85, 44.06), (31.40, 31.36, 30.96), (23.71, 23.71, 23.67, 23.43)),
}
"""Table I: throughput of h1, h2, … in P1 to P4, in Mbit/s."""

FAIRNESS: Final = {
    "regular": (1.0, 0.994, 0.994, 0.974),
    "htb": (1.0, 0.99998, 0.99998, 0.99999),
    "fq": (1.0, 0.99960, 0.99960, 0.99997),
}
"""Table II: Jain's index in P1 to P4."""

VARIATION: Final = {
    "regular": ((32.32,), (22.63, 30.08), (9.349, 10.90, 19.69), (7.806, 5.260, 6.447, 17.27)),
    "htb": ((8.188,), (3.773, 2.998), (2.065, 2.081, 1.985), (1.168, 1.138, 0.755, 0.684)),
    "fq": ((28.427,), (4.351, 14.142), (1.618, 1.317, 3.879), (1.022, 1.020, 0.996, 3.336)),
}
"""Table II: the coefficients of variation of h1, h2, … in P1 to P4, in per cent."""
