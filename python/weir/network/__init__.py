"""Networks: topologies that run on a virtual clock."""

from weir.control.profile import Profile, profiles
from weir.network.computer import Computer, Cost, computers
from weir.network.network import Network
from weir.network.noise import NOISES, Noise
from weir.network.options import show_options
from weir.network.world import WORLDS, WorldName

__all__ = [
    "NOISES",
    "WORLDS",
    "Computer",
    "Cost",
    "Network",
    "Noise",
    "Profile",
    "WorldName",
    "computers",
    "profiles",
]

# With this call, documentation and editors also show each option of `load`.
show_options(Network.load, Network.__init__)
