"""Shapes of topologies: every host reaches every other, addresses are unique, sizes are checked."""

import pytest

import weir
from weir.errors import TopologyError, UnitError
from weir.topology import shapes

SIZES = [
    *("star:1", "star:2", "star:9"),
    *("chain:1", "chain:2", "chain:6"),
    *("dumbbell:1", "dumbbell:2", "dumbbell:5"),
    *("tree:1", "tree:2,3", "tree:3"),
    *("parking_lot:1", "parking_lot:2", "parking_lot:4"),
    *("ring:3", "ring:4,2", "ring:7"),
    *("leaf_spine:1,1", "leaf_spine:2,2", "leaf_spine:3,4,3"),
    *("fat_tree:2", "fat_tree:4", "fat_tree:6"),
    *("random_regular:4", "random_regular:8,3", "random_regular:7,4,seed=5"),
]


def address6(host):
    return next(own.address for own in host.interfaces[0].addresses if ":" in own.address)


@pytest.mark.parametrize("layer", [2, 3])
@pytest.mark.parametrize("text", SIZES)
def test_every_host_reaches_every_other(text, layer):
    topology = shapes.from_text(f"{text},layer={layer}")
    with weir.Network(topology) as net:
        for source in net.hosts:
            for target, spec in topology.hosts.items():
                if target != source.name:
                    assert source.ping(target, count=1).received == 1, (source.name, target)
                    assert source.ping(address6(spec), count=1).received == 1, (source.name, target, "IPv6")


def test_a_large_fat_tree_connects_its_corners():
    topology = shapes.fat_tree(8)
    with weir.Network(topology) as net:
        for target in ("h2", "h5", "h17", "h128"):
            assert net.host("h1").ping(target, count=1).received == 1
            assert net.host("h1").ping(address6(topology.hosts[target]), count=1).received == 1


@pytest.mark.parametrize("text", [*SIZES, "star:500", "dumbbell:500", "leaf_spine:40,8,25", "fat_tree:16"])
def test_addresses_are_unique(text):
    topology = shapes.from_text(text)
    interfaces = [interface for host in topology.hosts.values() for interface in host.interfaces]
    addresses = [own.address for interface in interfaces for own in interface.addresses]
    assert len(addresses) == 2 * len(topology.hosts) == len(set(addresses))
    assert len({interface.mac for interface in interfaces}) == len(interfaces)


def test_a_random_regular_graph_is_regular_and_repeatable():
    first, again, other = (shapes.random_regular(12, 5, seed=seed) for seed in (3, 3, 4))
    ends = [end.node for link in first.links for end in (link.a, link.b) if end.node in first.switches]
    inner = [link for link in first.links if link.a.node in first.switches and link.b.node in first.switches]
    assert {name: ends.count(name) for name in first.switches} == dict.fromkeys(first.switches, 5 + 1)
    assert len({frozenset((link.a.node, link.b.node)) for link in inner}) == len(inner) == 12 * 5 / 2
    assert [str(link) for link in first.links] == [str(link) for link in again.links]
    assert [str(link) for link in first.links] != [str(link) for link in other.links]


def test_the_long_flow_of_a_parking_lot_crosses_every_link():
    with weir.Network(shapes.parking_lot(3, delay="1ms")) as net:
        # h1, three links between switches, h2: five links there and five back.
        assert net.host("h1").ping("h2", count=1).rtt_avg_ms == pytest.approx(10, abs=0.1)
        # The flow over link 2: h5 at s2, h6 at s3.
        assert net.host("h5").ping("h6", count=1).rtt_avg_ms == pytest.approx(6, abs=0.1)


@pytest.mark.parametrize(
    ("text", "message", "suggestion"),
    [
        ("dumbell:4", 'there is no shape "dumbell"', "dumbbell"),
        ("fattree:4", 'there is no shape "fattree"', "fat_tree"),
        ("dumbbell", "n is missing: expected dumbbell:N", None),
        ("leaf-spine:4", "spines is missing: expected leaf_spine:LEAVES,SPINES,HOSTS", None),
        ("dumbbell:four", 'n = "four": expected a whole number', None),
        ("dumbbell:4,5", '"5" is one size too many: dumbbell takes n', None),
        ("dumbbell:4,midle_rate=1Mbit", 'dumbbell has no argument "midle_rate"', "middle_rate"),
        ("dumbbell:4,layer=4", "layer = 4 is out of range: expected 2 (one network) or 3", None),
        ("dumbbell:4,ipv6=false", 'ipv6 = "false": expected yes or no', None),
        ("star:0", "n = 0 is out of range: expected 1 to 500", None),
        ("fat_tree:3", "even number of ports", None),
        ("tree:10,4", "out of range: expected 1 to 1024", None),
        ("ring:2", "expected 3 to 250", None),
        ("random_regular:5,3", "n * degree = 5 * 3 is odd", None),
        ("leaf_spine:250,2,250", "expected 1 to 4096", None),
    ],
)
def test_mistakes_in_shapes(text, message, suggestion):
    with pytest.raises(TopologyError) as caught:
        shapes.from_text(text)
    assert message in str(caught.value)
    assert caught.value.suggestion == suggestion


def test_a_rate_in_a_shape_needs_its_unit():
    with pytest.raises(UnitError):
        shapes.from_text("star:2,rate=10")


@pytest.mark.parametrize(
    ("text", "is_shape"),
    [
        ("dumbbell:4", True),
        ("fat-tree:4,rate=1Gbit", True),
        ("dumbell:4", True),
        ("star", True),
        ("topology.json", False),
        ("pod/topology.json", False),
        ("topology", False),
        ("C:\\topology", False),
    ],
)
def test_shapes_are_told_from_files(text, is_shape):
    assert shapes.is_shape(text) is is_shape
