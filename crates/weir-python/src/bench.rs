//! A single switch without links: takes packets and returns their traces.

use std::sync::Mutex;

use pyo3::prelude::*;
use weir_device::{Device, Packet};
use weir_switch::{Switch as Core, SwitchConfig};

use crate::errors;
use crate::program::Program;
use crate::step::Step;
use crate::switch::{Switch, SwitchHolder};

/// A switch without links. Only `run_until` advances its clock.
#[pyclass(frozen)]
pub struct Bench(Mutex<State>);

struct State {
    switch: Core,
    now: u64,
    packets: u64,
}

/// The virtual time, in nanoseconds, for which `settle` waits for packets to leave.
const PATIENCE: u64 = 1_000_000_000;

#[pymethods]
impl Bench {
    #[new]
    fn new(program: &Program, ports: Vec<u32>, seed: u64, within: bool) -> PyResult<Self> {
        let config = SwitchConfig::default().with_ports(ports).with_seed(seed);
        // Without steps inside blocks, all packets run on the program's executor.
        let executor = if within { &program.executor } else { &program.untraced };
        let mut switch = Core::new(executor.clone(), config).map_err(errors::network)?;
        switch.trace_next(u64::MAX);
        Ok(Bench(Mutex::new(State { switch, now: 0, packets: 0 })))
    }

    /// The control interface of the switch.
    fn control(this: Py<Self>) -> Switch {
        Switch(Box::new(this))
    }

    /// The virtual time in nanoseconds since the start.
    fn now(&self) -> PyResult<u64> {
        self.locked(|state| Ok(state.now))
    }

    /// Sends a packet into the switch now and returns its number.
    fn receive(&self, port: u32, bytes: Vec<u8>) -> PyResult<u64> {
        self.locked(|state| {
            let id = state.packets;
            state.packets += 1;
            state.switch.receive(state.now, port, Packet { bytes, id });
            Ok(id)
        })
    }

    /// Sets the options to take at the next choices; later choices take the usual option.
    fn want_choices(&self, options: Vec<u32>) -> PyResult<()> {
        self.locked(|state| {
            state.switch.want_choices(options);
            Ok(())
        })
    }

    /// Runs until the switch holds no packet, for at most one virtual second and `passes` pipeline
    /// passes. Returns whether the switch is empty.
    fn settle(&self, py: Python<'_>, passes: u64) -> PyResult<bool> {
        py.detach(|| {
            self.locked(|state| {
                let end = state.now.saturating_add(PATIENCE);
                let most = state.switch.stats().passes.saturating_add(passes);
                // Neither the time nor the number of passes limits a packet that clones itself.
                for _ in 0..1_000_000 {
                    if state.switch.in_flight() == 0 || state.switch.stats().passes >= most {
                        break;
                    }
                    let Some(due) = state.switch.next_deadline().filter(|due| *due <= end) else { break };
                    state.work(due);
                }
                Ok(state.switch.in_flight() == 0)
            })
        })
    }

    /// Runs until the virtual time `time_ns`.
    fn run_until(&self, py: Python<'_>, time_ns: u64) -> PyResult<()> {
        py.detach(|| {
            self.locked(|state| {
                for _ in 0..1_000_000 {
                    let Some(due) = state.switch.next_deadline().filter(|due| *due <= time_ns) else { break };
                    state.work(due);
                }
                state.now = state.now.max(time_ns);
                Ok(())
            })
        })
    }

    /// Returns the steps recorded since the last call, and how many steps were lost.
    fn steps(&self) -> PyResult<(Vec<Step>, u64)> {
        self.locked(|state| {
            let (steps, lost) = state.switch.take_trace();
            Ok((steps.into_iter().map(Step).collect(), lost))
        })
    }
}

impl Bench {
    fn locked<T>(&self, act: impl FnOnce(&mut State) -> PyResult<T>) -> PyResult<T> {
        let mut state = self
            .0
            .lock()
            .map_err(|_| errors::network("the switch is unusable after an internal error; build it again"))?;
        act(&mut state)
    }
}

impl SwitchHolder for Py<Bench> {
    fn with_switch(&self, act: &mut dyn FnMut(&mut Core, u64)) -> PyResult<()> {
        self.get().locked(|state| {
            act(&mut state.switch, state.now);
            Ok(())
        })
    }
}

impl State {
    fn work(&mut self, time: u64) {
        self.now = self.now.max(time);
        // The trace steps already contain the packets that leave.
        self.switch.advance(self.now, &mut Vec::new());
    }
}
