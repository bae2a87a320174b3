//! Compares Weir with the Linux kernel: one flow over a bottleneck. The figures of Linux are
//! recorded in peers/linux/linux.csv.

use weir_sim::Nanos;
use weir_sim::tcp::{Algorithm, Config};

use crate::dumbbell::{Dumbbell, FRAME, Path, config};
use crate::world::{MS, SECOND};

const RECORDED: &str = include_str!("../../../../peers/linux/linux.csv");

/// The measurements: goodput in Mbit/s, mean waiting time in ms, retransmissions.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Figures {
    goodput: f64,
    queue: f64,
    retransmits: f64,
}

struct Cell {
    name: String,
    rate: u64,
    rtt: u64,
    /// The queue's size in bandwidth-delay products.
    queue: f64,
    control: String,
    /// The median of Linux' runs.
    linux: Figures,
}

fn recorded_cells() -> Vec<Cell> {
    let cell = |line: &str| {
        let (name, figures) = line.split_once(',').unwrap();
        let words: Vec<&str> = name.split(' ').collect();
        let [rate, rtt, queue, control] = words[..] else { return None };
        let figures: Vec<f64> = figures.split(',').map(|number| number.parse().unwrap()).collect();
        // Each figure is followed by its range.
        let [goodput, _, wait, _, retransmits, _] = figures[..] else { return None };
        Some(Cell {
            name: name.to_owned(),
            rate: rate.parse::<u64>().ok()? * 1_000_000,
            rtt: rtt.parse().ok()?,
            queue: queue.parse().ok()?,
            control: control.to_owned(),
            linux: Figures { goodput, queue: wait, retransmits },
        })
    };
    RECORDED.lines().skip(1).filter_map(cell).collect()
}

/// Measures a cell in Weir. The seed chooses BBR's phases. `jitter` is the maximum time that hosts
/// take for a frame.
fn measure_cell(cell: &Cell, jitter: Nanos) -> Figures {
    let until = if cell.rate * cell.rtt > 5_000_000_000 { 60 } else { 40 };
    let mut path = Path::bottleneck(cell.rate, cell.rtt * MS, cell.queue);
    path.buffer = (cell.rate as f64 * cell.rtt as f64 / 8000.0 / FRAME as f64 * cell.queue).round() as usize;
    path.processing = jitter;
    let tcp = Config { send_buffer: 16 << 20, ..config(&Algorithm::named(&cell.control).unwrap()) };
    let mut world = Dumbbell::new(1, 1, path, &tcp);
    world.start(0);
    world.network.run_until(until / 4 * SECOND);
    let before = world.received(0);
    let queue = world.mean_wait(until * SECOND);
    let seconds = (until - until / 4) as f64;
    let goodput = (world.received(0) - before) as f64 * 8e-6 / seconds;
    Figures { goodput, queue: queue * 1e3, retransmits: world.sender(0).retransmits as f64 }
}

/// Returns whether the figures agree: goodput within 10 %, queueing delay within 10 % or a frame's
/// time, retransmissions within a factor of 1.5 or twelve segments. One more or one less overflow
/// costs as many retransmissions.
fn figures_agree(linux: Figures, ours: Figures, rate: u64) -> bool {
    let near = |ours: f64, linux: f64, slack: f64| (ours - linux).abs() <= (0.1 * linux).max(slack);
    let (few, many) = (linux.retransmits.min(ours.retransmits), linux.retransmits.max(ours.retransmits));
    near(ours.goodput, linux.goodput, 0.0)
        && near(ours.queue, linux.queue, FRAME as f64 * 8e3 / rate as f64)
        && (many <= 1.5 * few || many - few <= 12.0)
}

/// Cells whose results in Linux are reproducible.
#[test]
fn flows_behave_as_in_linux() {
    let cells = recorded_cells();
    for name in [
        "10 10 4 cubic",
        "10 50 1 cubic",
        "10 50 4 cubic",
        "10 100 1 cubic",
        "10 100 4 cubic",
        "10 10 1 bbr",
        "10 100 0.25 bbr",
        "10 100 4 bbr",
        "10 10 4 reno",
        "10 50 1 reno",
        "10 100 1 reno",
    ] {
        let cell = cells.iter().find(|cell| cell.name == name).expect("it was recorded");
        let ours = measure_cell(cell, 0);
        assert!(figures_agree(cell.linux, ours, cell.rate), "{name}: {:?}, in Linux {:?}", ours, cell.linux);
    }
}

/// Cells in which Linux differs because its machine is not exact: queues of two frames, and rates
/// that are too high because BBR takes the maximum and some acknowledgements come too early. Hosts
/// that take up to 0.2 ms for a frame have the same effect.
#[test]
fn hosts_with_jitter_behave_as_in_linux() {
    let cells = recorded_cells();
    let find = |name: &str| cells.iter().find(|cell| cell.name == name).expect("it was recorded");
    let small = find("10 10 0.25 cubic");
    let (exact, inexact) = (measure_cell(small, 0), measure_cell(small, MS / 5));
    assert!(inexact.goodput < 0.75 * exact.goodput, "{exact:?}, {inexact:?}");
    assert!(inexact.goodput < 1.2 * small.linux.goodput, "{inexact:?}, in Linux {:?}", small.linux);
}

/// Prints all cells: Linux, Weir, and Weir with hosts that take up to 0.2 ms for a frame.
#[test]
#[ignore = "minutes"]
fn print_all_cells() {
    for cell in recorded_cells() {
        let all = [cell.linux, measure_cell(&cell, 0), measure_cell(&cell, MS / 5)];
        let row =
            |figure: fn(Figures) -> f64| all.map(|figures| format!("{:7.2}", figure(figures))).join(" ");
        let (goodput, queue, retransmits) = (row(|f| f.goodput), row(|f| f.queue), row(|f| f.retransmits));
        let verdict =
            [all[1], all[2]].map(|ours| if figures_agree(all[0], ours, cell.rate) { "as" } else { "not" });
        let (exact, inexact) = (verdict[0], verdict[1]);
        let name = &cell.name;
        eprintln!(
            "{name:18} goodput {goodput}, queue {queue}, retransmits {retransmits}: {exact}, {inexact}"
        );
    }
}
