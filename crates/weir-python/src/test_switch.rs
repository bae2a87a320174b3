//! A single switch without links, which receives packets and returns their traces.

use std::sync::Mutex;

use pyo3::prelude::*;
use weir_stf::Bench as Core;
use weir_switch::SwitchConfig;

use crate::journey::{Journeys, Output};
use crate::locks::lock;
use crate::program::Program;
use crate::signals::Signals;
use crate::switch::{Switch, SwitchHolder};
use crate::{errors, own_externs};

/// A switch without links, whose clock is advanced only by `run_until`.
#[pyclass(frozen)]
pub struct TestSwitch(Mutex<Core>);

#[pymethods]
impl TestSwitch {
    #[new]
    fn new(program: &Program, ports: Vec<u32>, seed: u64, within: bool) -> PyResult<Self> {
        // If traces need no steps inside blocks, the executor of the program runs all packets.
        let executor = if within { &program.executor } else { &program.untraced };
        let config = SwitchConfig { own_externs: program.own_externs.clone(), ..SwitchConfig::default() };
        let bench = Core::with_config(executor.clone(), config.with_ports(ports).with_seed(seed))
            .map_err(errors::network_error)?;
        Ok(TestSwitch(Mutex::new(bench)))
    }

    /// Returns the control interface of the switch.
    fn control(this: Py<Self>) -> Switch {
        Switch(Box::new(this))
    }

    /// Returns the virtual time in nanoseconds since the start.
    fn now(&self) -> PyResult<u64> {
        self.with_bench(|bench| bench.now())
    }

    /// Sends a packet into the switch immediately and returns its number.
    fn receive(&self, port: u32, bytes: Vec<u8>) -> PyResult<u64> {
        self.with_bench(|bench| bench.receive(port, bytes))
    }

    /// Forces the outcomes of the next random decisions of the switch. Later decisions are not
    /// forced.
    fn want_choices(&self, options: Vec<u32>) -> PyResult<()> {
        self.with_bench(|bench| bench.switch.want_choices(options))
    }

    /// Runs until the switch holds no packet, for at most one virtual second and `passes` pipeline
    /// passes. Returns whether the switch is empty.
    fn settle(&self, py: Python<'_>, passes: u64) -> PyResult<bool> {
        py.detach(|| {
            let signals = Signals::new();
            let stop = || signals.interrupt() || own_externs::has_raised();
            let empty = self.with_bench(|bench| bench.settle(passes, &stop))?;
            signals.raise().map(|()| empty)
        })
    }

    /// Runs until the virtual time `time_ns`.
    fn run_until(&self, py: Python<'_>, time_ns: u64) -> PyResult<()> {
        py.detach(|| {
            let signals = Signals::new();
            let stop = || signals.interrupt() || own_externs::has_raised();
            self.with_bench(|bench| bench.run_until(time_ns, &stop))?;
            signals.raise()
        })
    }

    /// Adds the steps recorded since the last call to journeys. Returns the packets that left, and
    /// how many steps were lost.
    fn read_journeys(&self, journeys: &Journeys) -> PyResult<(Vec<Output>, u64)> {
        let (steps, lost) = self.with_bench(|bench| bench.switch.take_trace())?;
        Ok((journeys.add(steps), lost))
    }
}

impl TestSwitch {
    fn with_bench<T>(&self, act: impl FnOnce(&mut Core) -> T) -> PyResult<T> {
        own_externs::refuse_inside()?;
        let mut bench = lock(&self.0).map_err(|_| {
            errors::network_error("the switch is unusable after an internal error; build it again")
        })?;
        let result = act(&mut bench);
        own_externs::raise()?;
        Ok(result)
    }
}

impl SwitchHolder for Py<TestSwitch> {
    fn with_switch(&self, act: &mut dyn FnMut(&mut weir_switch::Switch, u64)) -> PyResult<()> {
        self.get().with_bench(|bench| {
            let now = bench.now();
            act(&mut bench.switch, now);
        })
    }
}
