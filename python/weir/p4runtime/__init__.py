"""P4Runtime: switches that controllers reach over gRPC (docs/how-to/p4runtime.md)."""

from weir.p4runtime.client import Client
from weir.p4runtime.server import LostMessages, Server, ServerOptions
from weir.p4runtime.tls import ClientTls, ServerTls

__all__ = ["Client", "ClientTls", "LostMessages", "Server", "ServerOptions", "ServerTls"]
