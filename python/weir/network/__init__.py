"""Networks: topologies that run on a virtual clock."""

from weir.network.network import Network
from weir.network.profile import Profile, profiles

__all__ = ["Network", "Profile", "profiles"]
