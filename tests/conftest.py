"""Fixtures of the Python tests: our own router, and a network that runs it."""

import functools
from collections.abc import Iterator
from pathlib import Path

import pytest

import needed
import weir
from weir.program import EXECUTORS

NET = Path(__file__).parent / "net"


@pytest.fixture(scope="session", params=EXECUTORS)
def router(request: pytest.FixtureRequest) -> weir.Program:
    """The router of tests/net, compiled for each executor."""
    return weir.compile(NET / "router.p4", executor=request.param)


@pytest.fixture(scope="session")
def wide_router(tmp_path_factory: pytest.TempPathFactory) -> weir.Program:
    """The router of tests/net with a table large enough for all topology generators."""
    path = tmp_path_factory.mktemp("program") / "router.p4"
    path.write_text((NET / "router.p4").read_text().replace("size = 4;", "size = 1024;"))
    return weir.compile(path)


@pytest.fixture
def network(router: weir.Program) -> Iterator[weir.Network]:
    """The network h1 - s1 - h2, in which s1 runs the router with the entries of tests/net."""
    with weir.Network.load(NET / "topology.json", router) as net:
        yield net


@pytest.fixture
def s1(network: weir.Network) -> weir.Switch:
    """The switch of that network."""
    return network.switch("s1")


@pytest.fixture(autouse=True)
def account(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Checks that every packet of every network is accounted for when the test is over."""
    networks: list[weir.Network] = []
    begin = weir.Network.__init__

    @functools.wraps(begin)
    def remember(self: weir.Network, *args, **options) -> None:
        begin(self, *args, **options)
        networks.append(self)

    monkeypatch.setattr(weir.Network, "__init__", remember)
    yield
    for network in networks:
        # The packets of real hosts are not all counted.
        if network.world == "virtual":
            assert not network.audit().violations


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Starts slow tests first, so that no slow test runs alone at the end."""
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Prints at the end the number of skipped tests, and the packages that they need."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    # Workers of xdist have no terminal: they report skipped tests to the process that started them.
    if reporter is not None:
        skipped = [report.longrepr[2] for report in reporter.stats.get("skipped", [])]
        if line := needed.line(skipped):
            reporter.write_line(line)
