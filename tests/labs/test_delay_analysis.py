import math

import polars as pl
import pytest

from weir.labs.delay import thesis
from weir.labs.delay.analysis import SCHEMA, fit_line, fits, summarise
from weir.labs.delay.cells import RATES_BPS, RECIRCULATIONS, cells, interval_ms
from weir.labs.delay.profiles import PROFILES
from weir.labs.delay.theory import Theory, transmission_ms, wire_bytes

VM = Theory(pass_ns=340_000, processing_ns=300_000, wire_bytes=wire_bytes(1200))


def frame(*rows: tuple[int, int | None, int, float | None]) -> pl.DataFrame:
    full = [(x, rate, seq, seq / 10, rtt, None if rtt is None else 63) for x, rate, seq, rtt in rows]
    return pl.DataFrame(full, schema=SCHEMA, orient="row")


def test_fit_of_points_on_a_line() -> None:
    assert fit_line([0, 1, 3, 7], [2, 5, 11, 23]) == (2, 3, 1)


def test_fit_of_points_beside_a_line() -> None:
    # Anscombe's first set: y = 3.00 + 0.500 x, R² = 0.67 (F. J. Anscombe, 1973).
    xs = [10, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5]
    ys = [8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68]
    a, b, r2 = fit_line(xs, ys)
    assert (a, b, r2) == pytest.approx((3.00009, 0.50009, 0.66654), abs=1e-5)


def test_fit_of_a_level_line() -> None:
    assert fit_line([0, 1, 2], [5, 5, 5]) == (5, 0, 1)


def test_cells_count_lost_pings() -> None:
    results = frame((0, None, 1, 1.0), (0, None, 2, None), (0, None, 3, 2.0), (1, 10**6, 1, None))
    first, second = summarise(results)
    assert (first.sent, first.received) == (3, 2)
    assert (first.rtt_min_ms, first.rtt_avg_ms, first.rtt_max_ms) == (1.0, 1.5, 2.0)
    assert (second.recirculations, second.rate_bps, second.sent, second.received) == (1, 10**6, 1, 0)
    assert second.rtt_min_ms is second.rtt_avg_ms is second.rtt_max_ms is None


def test_fits_skip_lost_pings() -> None:
    results = frame(
        (0, None, 1, 1.0), (1, None, 1, 1.5), (3, None, 1, None), (0, 10**6, 1, 40.0), (1, 10**6, 1, None)
    )
    (fit,) = fits(results)
    assert (fit.rate_bps, fit.a_ms, fit.b_ms) == (None, 1.0, 0.5)


def test_a_ping_on_the_wire_is_1242_bytes() -> None:
    assert wire_bytes(1200) == 1242
    assert wire_bytes(1200) - thesis.COUNTED_BYTES == 14


@pytest.mark.parametrize(
    ("rate", "rtt"), [(None, 0.98), (10**9, 1.019), (10**6, 40.276), (10**5, 393.94), (10**4, 3930.58)]
)
def test_theory_matches_the_thesis(rate: int | None, rtt: float) -> None:
    assert VM.thesis_rtt_ms(0, rate) == pytest.approx(rtt, abs=0.0005)


def test_theory_counts_all_bytes_and_passes() -> None:
    assert transmission_ms(1242, 10**4) == pytest.approx(3974.4)
    assert VM.rtt_ms(15, 10**4) == pytest.approx(3974.4 + 32 * 0.34 + 0.3)


@pytest.mark.parametrize("name", ["bmv2-vm", "bmv2-server"])
def test_profiles_give_the_thesis_lines(name: str) -> None:
    pytest.importorskip("weir._core")
    import weir

    machine = PROFILES[name]
    theory = Theory(weir.Profile.named(machine.switch_profile).pass_latency_ns, 2 * machine.host_ns, 1242)
    assert machine.model_of is not None
    assert theory.a_ms(None) == pytest.approx(machine.model_of.a_ms)
    assert theory.b_ms == pytest.approx(machine.model_of.b_ms)


@pytest.mark.parametrize("pass_ns", [1_000, 340_000, 1_055_000])
def test_no_cell_overloads_its_links(pass_ns: int) -> None:
    theory = Theory(pass_ns, 300_000, 1242)
    planned = cells(theory, seed=1, quick=False)
    assert [(c.recirculations, c.rate_bps) for c in planned] == [
        (x, r) for r in RATES_BPS for x in RECIRCULATIONS
    ]
    for cell in planned:
        assert cell.pings == 1000
        assert cell.interval_ms >= 100
        assert cell.interval_ms > theory.rtt_ms(cell.recirculations, cell.rate_bps)
        assert cell.rate_bps is None or cell.interval_ms > 1242 * 8 * 1e3 / cell.rate_bps


def test_intervals_match_the_thesis() -> None:
    assert interval_ms(0.98) == 100
    assert interval_ms(99.9) == 100
    assert interval_ms(100) == 200
    assert interval_ms(3975) == 4400


def test_cells_have_seeds_of_their_own() -> None:
    planned = [*cells(VM, seed=1, quick=True), *cells(VM, seed=2, quick=True)]
    assert len({cell.seed for cell in planned}) == len(planned)
    assert cells(VM, seed=1, quick=True) == planned[:25]


def test_sums_do_not_depend_on_order() -> None:
    values = [0.1 * k for k in range(1000)]
    rows = frame(*((0, None, k, v) for k, v in enumerate(values)))
    assert summarise(rows)[0].rtt_avg_ms == math.fsum(reversed(values)) / 1000
