"""Controls the learning switch of the examples with finsy."""

import asyncio

import finsy as fy
from steps import ADDRESS, FOLDER, step


async def learn(s1: fy.Switch, learned: dict[int, int]) -> None:
    """Enters stations, until there are two."""
    async for digests in s1.read_digests("learn_t"):
        for digest in digests:
            mac, port = digest["srcAddr"], digest["ingress_port"]
            if mac not in learned:
                learned[mac] = port
                source = fy.Match({"hdr.ethernet.srcAddr": mac, "standard_metadata.ingress_port": port})
                destination = fy.Match({"hdr.ethernet.dstAddr": mac})
                forward = fy.Action("forward", port=port)
                await s1.insert(
                    [
                        fy.P4TableEntry("sources", match=source, action=fy.Action("NoAction")),
                        fy.P4TableEntry("destinations", match=destination, action=forward),
                    ]
                )
        await s1.write([digests.ack()])
        if len(learned) == 2:
            return


async def control() -> None:
    """Takes the steps of the test."""
    options = fy.SwitchOptions(
        device_id=0, p4info=FOLDER / "program.p4info.txtpb", p4blob=FOLDER / "program.p4", p4force=True
    )
    async with fy.Switch("s1", ADDRESS, options) as s1:
        learned: dict[int, int] = {}
        learning = asyncio.create_task(learn(s1, learned))
        group = fy.P4MulticastGroupEntry(1, replicas=[(1, 1), (2, 1), (3, 1)])
        await s1.insert([group, fy.P4DigestEntry("learn_t", max_list_size=1)])
        groups = [one async for one in s1.read(fy.P4MulticastGroupEntry())]
        await asyncio.to_thread(step, groups=[[replica.port for replica in one.replicas] for one in groups])

        await learning
        await asyncio.to_thread(step, learned=sorted(learned.items()))

        await s1.delete([group])
        groups = [one async for one in s1.read(fy.P4MulticastGroupEntry())]
        await asyncio.to_thread(step, groups=[one.multicast_group_id for one in groups])


fy.run(control())
