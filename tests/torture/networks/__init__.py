"""Networks that should not exist, and traffic and programs on them."""

from torture.case import Class
from torture.networks.storms import storms
from torture.networks.topologies import addresses, documents, many, times
from torture.networks.traffic import traffic

CLASS = Class(
    "networks",
    {
        "storms": (25, storms),
        "addresses": (25, addresses),
        "documents": (20, documents),
        "traffic": (25, traffic),
        "times": (10, times),
        "many": (1, many),
    },
)
