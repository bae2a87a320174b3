//! Measures the throughput of a program in a switch without pass latency. Packets are read from
//! memory and written to memory.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use pyo3::prelude::*;
use weir_bench::{Endless, Repetition, Shape, TABLES, Workload, measure, measure_table, workload};
use weir_switch::{Switch as Core, SwitchConfig};

use crate::errors;
use crate::program::Program;
use crate::switch::{Switch, SwitchHolder};

/// A switch without pass latency.
#[pyclass(frozen)]
pub struct BenchSwitch(Mutex<Core>);

/// The result of [`BenchSwitch::measure`].
#[pyclass(frozen, get_all)]
pub struct Measured {
    /// The number of packets that entered the switch.
    packets: u64,
    /// The number of packets that left the switch, including copies.
    out: u64,
    /// The number of packets that the switch dropped.
    dropped: u64,
    /// The elapsed time in seconds (wall clock).
    seconds: f64,
    /// The nanoseconds per packet in the fastest tenth of the measurement windows.
    ns_undisturbed: f64,
    /// The names of the fields that differ between flows.
    varied: Vec<String>,
    /// `interp` or `native`.
    executor: &'static str,
}

#[pymethods]
impl BenchSwitch {
    #[new]
    fn new(program: &Program, ports: Vec<u32>, seed: u64) -> PyResult<Self> {
        let config = SwitchConfig {
            pass_latency: 0,
            own_externs: program.own_externs.clone(),
            ..SwitchConfig::default()
        };
        let config = config.with_ports(ports).with_seed(seed);
        Ok(Self(Mutex::new(Core::new(program.executor.clone(), config).map_err(errors::network_error)?)))
    }

    /// Returns the control interface of the switch.
    fn control(this: Py<Self>) -> Switch {
        Switch(Box::new(this))
    }

    /// Sends packets for about `seconds` seconds. The packets are `packets`, which follow each
    /// other in one buffer and have `size` bytes each, or flows that are generated from the table
    /// entries and from `template` (by default a UDP packet of `size` bytes).
    #[expect(clippy::too_many_arguments, reason = "Python names them")]
    fn measure(
        &self,
        py: Python<'_>,
        template: Option<Vec<u8>>,
        packets: Option<Vec<u8>>,
        size: usize,
        flows: usize,
        ports: Vec<u32>,
        seed: u64,
        seconds: f64,
    ) -> PyResult<Measured> {
        let span = Duration::try_from_secs_f64(seconds).map_err(errors::network_error)?;
        py.detach(|| {
            let mut switch = self.lock_state()?;
            let executor = Arc::clone(switch.executor());
            let load = if let Some(packets) = packets {
                Workload::new(packets, size, ports)
            } else {
                let mut shape = Shape { ports, seed, ..Shape::udp(size, flows) };
                shape.template = template.unwrap_or(shape.template);
                workload(&*executor, &switch.control(), &shape)
            };
            let speed = measure(&mut switch, &load, span);
            if let Some(endless) = speed.endless {
                return Err(errors::network_error(endless_message(&endless, &load)));
            }
            Ok(Measured {
                packets: speed.packets,
                out: speed.out,
                dropped: speed.dropped,
                seconds: speed.seconds,
                ns_undisturbed: speed.ns_undisturbed,
                varied: load.varied,
                executor: executor.name(),
            })
        })
    }
}

/// Formats the error message for a packet that never leaves the switch, with its number and its
/// first bytes.
fn endless_message(Endless { packet, how }: &Endless, load: &Workload) -> String {
    const MAX_SHOWN_BYTES: usize = 32;
    let (port, bytes) = load.packet(*packet);
    let digits: String = bytes.iter().take(MAX_SHOWN_BYTES).map(|byte| format!("{byte:02x}")).collect();
    let rest = if bytes.len() > MAX_SHOWN_BYTES { "…" } else { "" };
    let end = match how {
        Repetition::Clones => {
            "had so many clones of clones that the switch dropped the last one: egress clones it endlessly"
                .to_owned()
        }
        Repetition::Passes { passes, inside } => {
            let others = match inside.saturating_sub(1) {
                0 => String::new(),
                1 => ", and one more packet".to_owned(),
                more => format!(", and {more} more packets"),
            };
            format!(
                "was still in the switch after {passes} passes{others}: the program recirculates, resubmits or \
                 clones it endlessly"
            )
        }
    };
    format!("packet {packet} of {} (port {port}, {} bytes: {digits}{rest}) {end}", load.len(), bytes.len())
}

impl BenchSwitch {
    fn lock_state(&self) -> PyResult<std::sync::MutexGuard<'_, Core>> {
        self.0.lock().map_err(|_| {
            errors::network_error("the switch is unusable after an internal error; build it again")
        })
    }
}

impl SwitchHolder for Py<BenchSwitch> {
    fn with_switch(&self, act: &mut dyn FnMut(&mut Core, u64)) -> PyResult<()> {
        let mut switch = self.get().lock_state()?;
        let now = switch.now();
        act(&mut switch, now);
        Ok(())
    }
}

/// The result of [`table_figures`].
#[pyclass(frozen, get_all)]
pub struct TableFigures {
    /// The kind of the table and the width of its key.
    what: &'static str,
    entries: usize,
    load_seconds: f64,
    ns_per_lookup: f64,
    ns_per_batched_lookup: f64,
    us_per_update: f64,
    bytes_per_entry: f64,
}

/// Returns the table names that [`table_figures`] accepts.
#[pyfunction]
pub fn table_names() -> Vec<&'static str> {
    TABLES.to_vec()
}

/// Measures the generated table with this name. Returns `None` if there is no such table.
#[pyfunction]
pub fn table_figures(py: Python<'_>, name: &str) -> Option<TableFigures> {
    let figures = py.detach(|| measure_table(name))?;
    Some(TableFigures {
        what: figures.what,
        entries: figures.entries,
        load_seconds: figures.load_seconds,
        ns_per_lookup: figures.ns_per_lookup,
        ns_per_batched_lookup: figures.ns_per_batched_lookup,
        us_per_update: figures.us_per_update,
        bytes_per_entry: figures.bytes_per_entry,
    })
}
