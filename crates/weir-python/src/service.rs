//! Runs the switch and the links between real interfaces, for the commands `weir switch` and `weir
//! link`, and for the programs that replace other switches.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pyo3::prelude::*;
use weir_switchd::Interface;
use weir_switchd::plane::Plane;

use crate::allocator;
use crate::switch::{Switch, SwitchHolder};

/// A switch between interfaces, shared with its threads.
struct SharedPlane(Arc<Plane>);

impl SwitchHolder for SharedPlane {
    fn with_switch(&self, act: &mut dyn FnMut(&mut weir_switch::Switch, u64)) -> PyResult<()> {
        let used = self.0.try_with_switch(|switch, now| act(switch, now));
        used.ok_or_else(|| crate::errors::network_error("the switch has failed"))
    }
}

/// Runs `weir-switchd` with a command line until a signal ends it. Returns the exit code.
///
/// When the switch begins to forward packets, calls `started` with the control interface and the
/// network interface of each port. An exception from `started` ends the switch. `find` returns the
/// file of a program that the command line names.
#[pyfunction]
#[pyo3(signature = (command_line, started = None, find = None))]
pub fn run_switch(
    py: Python<'_>,
    command_line: Vec<OsString>,
    started: Option<Py<PyAny>>,
    find: Option<Py<PyAny>>,
) -> u8 {
    allocator::give_back_soon();
    let find = |program: &Path| {
        let Some(find) = &find else { return Ok(program.to_owned()) };
        let outcome = Python::attach(|py| {
            let name = program.as_os_str().into_pyobject(py)?;
            find.bind(py).call1((name,))?.extract::<PathBuf>()
        });
        outcome.map_err(message)
    };
    let started = |plane: &Arc<Plane>, interfaces: &[Interface]| {
        let Some(started) = started else { return Ok(()) };
        let switch = Switch(Box::new(SharedPlane(Arc::clone(plane))));
        let interfaces: BTreeMap<_, _> = interfaces.iter().map(|one| (one.port, &one.name)).collect();
        let called = Python::attach(|py| started.call1(py, (switch, interfaces)).map(drop));
        called.map_err(message)
    };
    py.detach(|| weir_switchd::run_with(command_line, &find, started, allocator::give_back_now))
}

/// Formats the message of an exception, without its class.
fn message(error: PyErr) -> String {
    Python::attach(|py| error.value(py).to_string())
}

/// Runs `weir-link` with a command line until a signal or the end of its commands. Returns the exit
/// code.
#[pyfunction]
pub fn run_link(py: Python<'_>, command_line: Vec<OsString>) -> u8 {
    py.detach(|| weir_link::run(command_line))
}
