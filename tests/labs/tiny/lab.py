"""The definition of the small lab."""

from weir.lab import Lab, Part

from . import report
from .experiments import product, words

LAB = Lab(
    name="tiny",
    question="What is x times n?",
    parts=[
        Part(experiment=product, report=report.product, quick={"n": [2]}),
        Part(experiment=words, report=report.words),
    ],
)
