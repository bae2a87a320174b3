//! A switch without links. Only calls advance its clock.

use std::sync::Arc;

use weir_device::{Device, Nanos, Packet, Port};
use weir_exec::Executor;
use weir_switch::trace::Step;
use weir_switch::{LoadError, Switch, SwitchConfig};

/// The number of pipeline passes after which a test gives up on a packet and its copies.
pub const MAX_PASSES: u64 = 10_000;

/// The maximum time that [`Bench::settle`] waits for packets to leave, in virtual nanoseconds.
const SETTLE_TIMEOUT: Nanos = 1_000_000_000;

/// The maximum number of calls that advance the switch. This limit is needed because a packet that
/// clones itself stays within the limits for time and passes.
const MAX_ADVANCES: usize = 1_000_000;

/// A switch without links that traces all packets.
pub struct Bench {
    /// The switch.
    pub switch: Switch,
    now: Nanos,
    packets: u64,
}

impl Bench {
    /// Creates a switch with these ports.
    ///
    /// # Errors
    /// The switch cannot run the program.
    pub fn new(
        executor: Arc<dyn Executor>,
        ports: impl IntoIterator<Item = Port>,
        seed: u64,
    ) -> Result<Self, LoadError> {
        Self::with_config(executor, SwitchConfig::default().with_ports(ports).with_seed(seed))
    }

    /// Creates a switch with these settings.
    ///
    /// # Errors
    /// The switch cannot run the program.
    pub fn with_config(executor: Arc<dyn Executor>, config: SwitchConfig) -> Result<Self, LoadError> {
        let mut switch = Switch::new(executor, config)?;
        switch.trace_next(u64::MAX);
        Ok(Self { switch, now: 0, packets: 0 })
    }

    /// Returns the virtual nanoseconds since the start.
    pub fn now(&self) -> Nanos {
        self.now
    }

    /// Sends a packet into the switch at the current time, and returns its number.
    pub fn receive(&mut self, port: Port, bytes: Vec<u8>) -> u64 {
        let id = self.packets;
        self.packets += 1;
        self.switch.receive(self.now, port, Packet::new(id, bytes));
        id
    }

    /// Runs until the switch holds no packet. Stops earlier after one virtual second, after
    /// `passes` pipeline passes, or when `interrupt`, which is called before each step, returns
    /// true. Returns whether the switch is empty.
    pub fn settle(&mut self, passes: u64, interrupt: &dyn Fn() -> bool) -> bool {
        let end = self.now.saturating_add(SETTLE_TIMEOUT);
        let most = self.switch.stats().passes.saturating_add(passes);
        for _ in 0..MAX_ADVANCES {
            if self.switch.in_flight() == 0 || self.switch.stats().passes >= most || interrupt() {
                break;
            }
            let Some(due) = self.switch.next_deadline().filter(|due| *due <= end) else { break };
            self.do_due_work(due);
        }
        self.switch.in_flight() == 0
    }

    /// Runs until this time, or until `interrupt` returns true.
    pub fn run_until(&mut self, time: Nanos, interrupt: &dyn Fn() -> bool) {
        for _ in 0..MAX_ADVANCES {
            let Some(due) = self.switch.next_deadline().filter(|due| *due <= time) else { break };
            if interrupt() {
                break;
            }
            self.do_due_work(due);
        }
        self.now = self.now.max(time);
    }

    /// Returns the steps recorded since the last call, and the number of steps that were discarded
    /// because of the limit.
    pub fn take_steps(&mut self) -> (Vec<Step>, u64) {
        self.switch.take_trace()
    }

    fn do_due_work(&mut self, time: Nanos) {
        self.now = self.now.max(time);
        // The trace steps already contain the packets that leave.
        self.switch.advance(self.now, &mut Vec::new());
    }
}
