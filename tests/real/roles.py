"""Tests that a switch reloads its certificates and its file of roles: mistakes change nothing, and
new rights hold for open connections."""

import json
import shutil
import sys
from pathlib import Path

from real_network import ip, running

sys.path.insert(0, str(Path(__file__).parent.parent))

from certificates import Authority, Identity
from weir.errors import ControlError
from weir.p4runtime import Client, ClientTls

HERE = Path(__file__).parent
ADDRESS = "127.0.0.1:9559"
roles = Path("roles.json")
first, second = Authority(Path("first")), Authority(Path("second"))
clients = Authority(Path("clients"))
writer = clients.sign("writer", "DNS:writer.example.org")
reader = clients.sign("reader", "DNS:reader.example.org")


def install(identity: Identity) -> None:
    """Makes this the switch's certificate."""
    shutil.copyfile(identity.certificate, "switch.pem")
    shutil.copyfile(identity.key, "switch.key")
    Path("switch.key").chmod(0o600)


def allow(**clients: list[str]) -> None:
    """Writes the file of roles."""
    entries = [{"names": [f"{name}.example.org"], "rights": rights} for name, rights in clients.items()]
    roles.write_text(json.dumps({"clients": entries}))


def client(identity: Identity, authority: Authority = first, election_id: int | None = None) -> Client:
    """A new connection; without an election id, it only reads."""
    tls = ClientTls(authority.certificate, identity.certificate, identity.key, "localhost")
    return Client(ADDRESS, 0, election_id=election_id, tls=tls)


def why(call) -> str:
    """The error of a call that must fail."""
    try:
        call()
    except ControlError as error:
        return str(error)
    raise AssertionError("the call was allowed")


def insert(controller: Client, last: int) -> None:
    """Adds an entry."""
    controller.table("ports").insert({"hdr.ethernet.dst": f"08:00:00:00:00:{last:02x}"}, "to", {"port": 3})


ip("link set lo up", "link add h1 type veth peer name s1-eth1", "link set s1-eth1 up")
install(first.sign("switch"))
allow(writer=["read", "write", "primary"])
options = ["--p4runtime", ADDRESS, "--p4runtime-roles", str(roles)]
options += [
    "--tls-certificate",
    "switch.pem",
    "--tls-key",
    "switch.key",
    "--tls-clients",
    clients.certificate,
]
with running(str(HERE / "ports.p4"), "-i", "1@s1-eth1", *map(str, options)) as service:
    controller = client(writer, election_id=1)
    insert(controller, 3)
    assert "does not list this client" in why(lambda: client(reader))
    # A mistake keeps the old file, and does not keep a new certificate from being used.
    install(second.sign("switch"))
    roles.write_text(roles.read_text().replace('"write"', '"wirte"'))
    service.reload()
    service.wait_for("the certificates of P4Runtime are reloaded")
    said = str(service.wait_for("the roles are not reloaded")["message"])
    assert "roles.json:1:" in said and 'did you mean "write"?' in said, said
    insert(controller, 4)
    why(lambda: client(writer, first))
    with client(writer, second) as other:
        assert len(other.table("ports").entries()) == 2
    # A key that belongs to another certificate changes nothing; the roles are read.
    Path("switch.key").write_text(reader.key.read_text())
    allow(writer=["read", "primary"], reader=["read"])
    service.reload()
    service.wait_for("the roles of P4Runtime are reloaded")
    said = str(service.wait_for("the certificates are not reloaded")["message"])
    assert "the certificate and its key" in said, said
    assert "does not let writer.example.org write" in why(lambda: insert(controller, 5))
    with client(reader, second) as other:
        assert len(other.table("ports").entries()) == 2
    # The stream of a primary that may no longer be one ends.
    allow(writer=["read"])
    service.reload()
    service.wait_for("writer.example.org) is no longer the primary of the default role")
    controller.close()
    service.stop()
print("done")
