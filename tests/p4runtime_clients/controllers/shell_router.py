"""Controls the router of tests/net with p4runtime-shell."""

import p4runtime_sh.shell as sh
from p4runtime_sh.p4runtime import P4RuntimeWriteException
from steps import ADDRESS, FOLDER, step

config = sh.FwdPipeConfig(str(FOLDER / "program.p4info.txtpb"), str(FOLDER / "program.p4"))
sh.setup(device_id=0, grpc_addr=ADDRESS, election_id=(0, 1), config=config, verbose=False)
try:
    for prefix, mac, port in (
        ("10.0.1.1/32", "08:00:00:00:01:11", "1"),
        ("10.0.2.0/24", "08:00:00:00:02:22", "2"),
    ):
        route = sh.TableEntry("MyIngress.ipv4_lpm")(action="MyIngress.ipv4_forward")
        route.match["hdr.ipv4.dstAddr"] = prefix
        route.action["dstAddr"] = mac
        route.action["port"] = port
        route.insert()
    try:
        route.insert()
        refused = ""
    except P4RuntimeWriteException as error:
        refused = str(error)
    step(version=sh.APIVersion(), refused=refused)

    rule = sh.TableEntry("acl")(action="drop", priority=10)
    rule.match["hdr.ipv4.srcAddr"] = "10.0.1.0&&&0xffffff00"
    rule.match["hdr.ipv4.protocol"] = "1"
    rule.insert()
    entries = [str(entry) for entry in sh.TableEntry("acl").read()]
    step(acl=entries, routes=sum(1 for _ in sh.TableEntry("ipv4_lpm").read()))

    rule.delete()
    route.action["port"] = "1"
    route.modify()
    route.delete()
    default = sh.TableEntry("ipv4_lpm")(action="ipv4_forward", is_default=True)
    default.action["dstAddr"] = "08:00:00:00:02:22"
    default.action["port"] = "2"
    default.modify()
    step(routes=sum(1 for _ in sh.TableEntry("ipv4_lpm").read()))
finally:
    sh.teardown()
