"""Weir's own labs: experiments from publications, each started by one command.

A lab is a folder with P4 programs, topologies, experiments (functions decorated with
``@weir.experiment``) and a part of the report for each. Labs use only Weir's public Python API, and
import their own modules relatively, so that a copy (``weir lab copy``) runs unchanged.
:mod:`weir.lab` has the names that labs need, and runs labs.

To add a lab, create a folder here. The first line of the folder's docstring is the title, and its
module ``lab`` has the variable ``LAB``. Also add a line for the lab to the entry points in
``labs/pyproject.toml``. ``docs/decisions/0030-labs-are-experiments.md`` says more.
"""
