"""Files that Weir reads besides programs, topologies and runtime commands, with damage."""

from torture.case import Class
from torture.files.access_points import settings, stations
from torture.files.compiled import compiled
from torture.files.results import experiments, stores
from torture.files.tests import tests

CLASS = Class(
    "files",
    {
        "tests": (30, tests),
        "settings": (25, settings),
        "stations": (10, stations),
        "compiled": (20, compiled),
        "experiments": (10, experiments),
        "stores": (5, stores),
    },
)
