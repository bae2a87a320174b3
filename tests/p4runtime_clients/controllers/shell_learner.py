"""Controls the learning switch of the examples with p4runtime-shell."""

import p4runtime_sh.shell as sh
from steps import ADDRESS, FOLDER, step

config = sh.FwdPipeConfig(str(FOLDER / "program.p4info.txtpb"), str(FOLDER / "program.p4"))
sh.setup(device_id=0, grpc_addr=ADDRESS, election_id=(0, 1), config=config, verbose=False)
digests = sh.DigestList()
try:
    group = sh.MulticastGroupEntry(1)
    for port in (1, 2, 3):
        group.add(port, 1)
    group.insert()
    config = sh.DigestEntry("learn_t")
    config.max_list_size = 1
    config.insert()
    groups = [[replica.egress_port for replica in one.replicas] for one in sh.MulticastGroupEntry().read()]
    step(groups=groups)

    learned = {}
    while len(learned) < 2:
        for message in digests.sniff(timeout=0.2):
            for data in message.digest.data:
                mac, port = (int.from_bytes(part.bitstring, "big") for part in data.struct.members)
                if mac in learned:
                    continue
                learned[mac] = port
                source = sh.TableEntry("sources")(action="NoAction")
                source.match["hdr.ethernet.srcAddr"] = str(mac)
                source.match["standard_metadata.ingress_port"] = str(port)
                source.insert()
                destination = sh.TableEntry("destinations")(action="forward")
                destination.match["hdr.ethernet.dstAddr"] = str(mac)
                destination.action["port"] = str(port)
                destination.insert()
    step(learned=sorted(learned.items()))

    group.delete()
    step(groups=[one.group_id for one in sh.MulticastGroupEntry().read()])
finally:
    sh.teardown()
