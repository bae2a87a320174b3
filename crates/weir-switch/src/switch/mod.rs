//! The switch, which runs a program with ports, queues and a clock.

mod device;
mod events;
mod fast_path;
mod forward;
mod pass;
mod replace;
mod slow_path;
mod worker;

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};

use weir_device::{Drop, Nanos, Port};
use weir_exec::Executor;
use weir_ir::Program;
use weir_qdisc::RateLimiter;

use crate::arch::{self, PortSpace};
use crate::config::SwitchConfig;
use crate::control::{Control, Schema, Scratch as ControlScratch};
use crate::error::LoadError;
use crate::generators::Generators;
use crate::packet::{Arrival, Verdict};
use crate::path::{PacketPath, PathContext, PathRunner};
use crate::state::{ControlState, Subscriptions, ThreadState};
use crate::stats::Stats;
use crate::trace::{Recorder, Step};
use crate::traffic_manager::TrafficManager;
use crate::whole_frames::WholeFrames;

use events::Events;
use fast_path::FastPaths;
pub use worker::{UnfinishedPacket, Worker};

/// A running P4 program with ports. See [`SwitchConfig`] for its timing.
///
/// [`Device::receive`](weir_device::Device::receive) only queues; all work is done in
/// [`Device::advance`](weir_device::Device::advance), in the order of the times at which it is due.
pub struct Switch {
    /// The packet path, and the state of the thread that owns the switch.
    runner: PathRunner,
    state: ControlState,
    control_scratch: ControlScratch,
    schema: Schema,
    /// The packets that wait for their pass, each with its time of arrival.
    input: VecDeque<(Nanos, Arrival)>,
    /// The recirculated and resubmitted packets that wait for
    /// [`weir_device::Device::start_next_pass`]; `None` if they need not wait for it.
    repeats: Option<VecDeque<Arrival>>,
    /// The time at which the next pass may start.
    passes: RateLimiter,
    queues: TrafficManager,
    /// The time of each port's next [`Event::Wake`], so that there is only one.
    wakes: BTreeMap<Port, Nanos>,
    events: Events<Event>,
    /// The number of events that were handled at the latest instant.
    handled: (Nanos, u64),
    /// The recorded drops; `None` if drops are not recorded.
    recorded_drops: Option<Vec<Drop>>,
    /// The latest time that a caller has given.
    now: Nanos,
    fast_paths: FastPaths,
    /// The reports of workers.
    mailboxes: Vec<Arc<Mutex<worker::WorkerReport>>>,
    /// The mailboxes of workers that still run an earlier program.
    old_mailboxes: Vec<Arc<Mutex<worker::WorkerReport>>>,
    workers_made: u64,
    subscriptions: Subscriptions,
    /// The number of switches that this switch has replaced, one after the other.
    replaced: u64,
    /// Whether there is a program. If not, the program of the executor is only a placeholder.
    has_program: bool,
}

enum Event {
    /// The first waiting packet starts its pass. Among events of the same time, this event comes
    /// first, whether the packet waited or the previous pass ran early.
    Pass,
    /// A packet has finished ingress, or was cloned in egress.
    Arrived(Verdict),
    /// The port takes packets from its queues.
    Wake(Port),
}

impl Switch {
    /// Creates a switch that runs the executor's program, which [`arch::bind`] has prepared.
    pub fn new(executor: Arc<dyn Executor>, config: SwitchConfig) -> Result<Self, LoadError> {
        let settings = arch::Settings { drop_port: config.drop_port, own_externs: Some(&config.own_externs) };
        let loaded = arch::load(executor.program(), &settings)?;
        let view = arch::control_view(executor.program());
        let mut schema = Schema::new(executor.program(), view, &loaded.externs);
        schema.last_port = arch::port_space(executor.program()).map(PortSpace::last);
        schema.last_session = Some(loaded.path.last_session(executor.program()));
        schema.last_class = loaded.path.last_class(executor.program());
        schema.recirculates = arch::can_recirculate(executor.program());
        let mut state = ControlState::new(executor.program(), loaded.externs)?;
        state.settings.sessions = Arc::new(loaded.sessions);
        state.settings.first_sessions = Arc::clone(&state.settings.sessions);
        let format = arch::chip_of(executor.program()).map(arch::Chip::generators);
        state.generators = Generators::new(format, config.seed);
        let (passes, queues) = (RateLimiter::new(config.capacity), TrafficManager::new(&config));
        let runner = PathRunner {
            path: Arc::new(loaded.path),
            thread: ThreadState::new(state.tables.len(), config.seed),
            stats: Stats::default(),
            trace: Recorder::default(),
            config,
            executor,
        };
        Ok(Self {
            runner,
            state,
            control_scratch: ControlScratch::default(),
            schema,
            input: VecDeque::new(),
            repeats: None,
            passes,
            queues,
            wakes: BTreeMap::new(),
            events: Events::new(),
            handled: (0, 0),
            recorded_drops: None,
            now: 0,
            fast_paths: FastPaths::default(),
            mailboxes: Vec::new(),
            old_mailboxes: Vec::new(),
            workers_made: 0,
            subscriptions: Subscriptions::default(),
            replaced: 0,
            has_program: true,
        })
    }

    /// Drops all packets (`no program yet`) from now on, until a switch with a program [replaces
    /// this one](Self::take_place_of). The current program is only a placeholder.
    pub fn wait_for_program(&mut self) {
        self.has_program = false;
    }

    /// Returns whether packets run through the program of the switch; see
    /// [`Switch::wait_for_program`].
    pub fn has_program(&self) -> bool {
        self.has_program
    }

    /// Returns the number of times that another switch has [replaced this
    /// one](Self::take_place_of). Reports of earlier workers are ignored.
    pub fn replaced(&self) -> u64 {
        self.replaced
    }

    /// Sets the messages for which [`Device::has_messages`](weir_device::Device::has_messages)
    /// returns true.
    pub fn set_subscriptions(&mut self, to: Subscriptions) {
        self.subscriptions = to;
    }

    /// Returns the program.
    pub fn program(&self) -> &Program {
        self.runner.executor.program()
    }

    /// Returns the executor of the program.
    pub fn executor(&self) -> &Arc<dyn Executor> {
        &self.runner.executor
    }

    /// Returns the latest time that a caller has given.
    pub fn now(&self) -> Nanos {
        self.now
    }

    /// Returns whether the program can detect how long packets wait in queues, because it uses
    /// metadata about queues or the time of egress. Otherwise, packets may also wait outside the
    /// switch after the fast path.
    pub fn sees_queues(&self) -> bool {
        self.runner.path.sees_queues(self.program())
    }

    /// Returns the frames with offloads that the program can distinguish from frames on a wire.
    pub fn whole_frames(&self) -> WholeFrames {
        WholeFrames::for_program(self.program(), &self.runner.path, &self.state.settings.externs)
    }

    /// Returns the numbers that ports can have in the program.
    pub fn port_space(&self) -> PortSpace {
        let space = arch::port_space(self.program()).unwrap_or(PortSpace::new(Port::BITS));
        space.dropping(self.config().drop_port)
    }

    /// Returns the settings.
    pub fn config(&self) -> &SwitchConfig {
        &self.runner.config
    }

    /// Returns the id of the first packet that waits for a pass, as its sender gave it.
    pub fn first_waiting(&self) -> Option<u64> {
        self.input.front().map(|(_, arrival)| arrival.id.packet)
    }

    /// Returns the statistics of all packets so far.
    pub fn stats(&self) -> &Stats {
        &self.runner.stats
    }

    /// Returns the number of times that [`Update::Reset`](crate::control::Update::Reset) has reset
    /// the state. After each reset, the handles of entries start from 0 again.
    pub fn reset_count(&self) -> u64 {
        self.state.resets
    }

    /// Returns the objects that can be controlled.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Returns the control interface, at the latest time that a caller has passed.
    pub fn control(&mut self) -> Control<'_> {
        self.control_at(self.now)
    }

    /// Returns the control interface at the time `now`. New idle time-outs start at this time.
    /// [`Device::next_deadline`](weir_device::Device::next_deadline) may return an earlier time
    /// afterwards.
    pub fn control_at(&mut self, now: Nanos) -> Control<'_> {
        self.now = self.now.max(now);
        self.collect_reports();
        self.record_reports();
        self.update_workers();
        Control {
            now: self.now,
            program: self.runner.executor.program(),
            schema: &self.schema,
            state: &mut self.state,
            scratch: &mut self.control_scratch,
            queues: &mut self.queues,
            ports: &self.runner.config.ports,
        }
    }

    /// Records the steps of the next `count` packets that arrive, and of all their copies. Packets
    /// that are already traced continue to be traced. [`u64::MAX`] means all packets from now on.
    pub fn trace_next(&mut self, count: u64) {
        self.runner.trace.record_next(count);
        self.update_workers();
    }

    /// Returns the number of arriving packets that will still be traced.
    pub fn trace_left(&self) -> u64 {
        self.runner.trace.remaining()
    }

    /// Takes the steps recorded since the last call. Also returns the number of lost steps: at most
    /// [`MAX_STEPS`](crate::trace::MAX_STEPS) steps are kept.
    pub fn take_trace(&mut self) -> (Vec<Step>, u64) {
        self.runner.trace.take_steps()
    }

    /// Stops recording, even for packets that are in the switch. Steps that were not taken are
    /// lost.
    pub fn stop_trace(&mut self) {
        self.runner.trace.stop();
    }

    /// Forces the outcomes of the next decisions (a selector's choice of a member, an entry's
    /// choice of an action, `random`), in order. After these outcomes, the hash and the generator
    /// decide again. A trace shows the number of options of each decision
    /// ([`Choice`](crate::Choice)).
    pub fn want_choices(&mut self, options: Vec<u32>) {
        self.runner.thread.choices.force_outcomes(options);
    }

    /// Runs a part of the path at the time `now` ([`PathRunner::run`]). Then records the hits of
    /// entries with time-outs, because their timers start again at a hit, and makes the changes of
    /// entries that packets have requested.
    #[inline]
    fn run(&mut self, now: Nanos, part: impl FnOnce(&PacketPath, &mut PathContext<'_>, &mut Stats) -> usize) {
        self.runner.run(self.state.view(), now, part);
        if !self.runner.thread.hits.is_empty() {
            self.state.record_hits(self.runner.thread.hits.drain(..));
        }
        if !self.runner.thread.changes.is_empty() {
            self.state.change_entries(self.runner.thread.changes.drain(..));
            self.runner.thread.has_added = false;
        }
    }
}
