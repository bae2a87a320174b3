//! The state that all threads of a switch share: the switch, its clock, and the events that wake
//! workers.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};

use rustix::event::{EventfdFlags, eventfd};
use weir_device::{Device, Nanos, Port, Transmission};
use weir_p4runtime::{Reload, Reloaded, Server, Texts, Translations};
use weir_switch::control::Subscriptions;
use weir_switch::{Switch, Worker};

use super::Clock;
use super::counts::PublishedCounts;
use super::offload_rules::OffloadRules;
use super::panics::panic_message;
use crate::args::GsoChoice;

/// A switch that several threads use.
pub struct Plane {
    /// The name of the switch, if it has one.
    pub name: Option<String>,
    /// The time.
    pub clock: Clock,
    /// The port of controllers.
    pub cpu_port: Option<Port>,
    /// The number as a device of P4Runtime.
    pub device_id: u64,
    /// The counts of the switch's ports.
    pub counts: PublishedCounts,
    /// Texts that stand for numbers, if the user gave some; set before controllers connect.
    pub texts: OnceLock<Arc<Texts>>,
    /// The user's choice of the frames that reach the program with their offloads, if any; set
    /// before workers start.
    pub gso: OnceLock<GsoChoice>,
    switch: Mutex<Switch>,
    /// A thread holds this lock while it waits for the switch, so that a thread that asks for the
    /// switch again and again cannot overtake the waiting threads.
    turn: Mutex<()>,
    /// The rules for offloads that follow from `gso`, for the program with this number.
    passing: Mutex<(u64, Option<Arc<OffloadRules>>)>,
    /// The number of programs the switch that has had.
    programs: AtomicU64,
    /// The time at which the switch must run next; [`Nanos::MAX`] if nothing is due.
    deadline: AtomicU64,
    /// Whether the switch has messages for controllers.
    has_messages: AtomicBool,
    stops: AtomicBool,
    /// The message of the panic that left the switch partly changed.
    failure: OnceLock<String>,
    /// An event that becomes readable when the first worker should check the switch.
    event: OwnedFd,
    /// The server for controllers. The server also owns this plane, so it must be removed at the
    /// end to free both.
    server: RwLock<Option<Arc<Server>>>,
    /// The server for clients of BfRt, which also owns this plane.
    bfrt: RwLock<Option<Arc<weir_bfrt::Server>>>,
}

impl Plane {
    /// Shares a switch.
    ///
    /// # Errors
    /// The process has no file descriptors left.
    pub fn new(
        name: Option<String>,
        switch: Switch,
        cpu_port: Option<Port>,
        device_id: u64,
    ) -> std::io::Result<Arc<Self>> {
        Ok(Arc::new(Self {
            name,
            clock: Clock::start(),
            cpu_port,
            device_id,
            counts: PublishedCounts::default(),
            texts: OnceLock::new(),
            gso: OnceLock::new(),
            switch: Mutex::new(switch),
            turn: Mutex::default(),
            passing: Mutex::default(),
            programs: AtomicU64::new(1),
            deadline: AtomicU64::new(Nanos::MAX),
            has_messages: AtomicBool::new(false),
            stops: AtomicBool::new(false),
            failure: OnceLock::new(),
            event: eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?,
            server: RwLock::default(),
            bfrt: RwLock::default(),
        }))
    }

    /// Returns the values that controllers see differently than the program.
    pub fn translations(&self) -> Translations {
        let texts = Arc::clone(self.texts.get_or_init(Arc::default));
        Translations { cpu: self.cpu_port, texts }
    }

    /// Calls `act` with the switch and the current time, while no other thread uses the switch.
    /// Returns `None` if a panic has left the switch partly changed; such a switch is never used
    /// again.
    ///
    /// # Panics
    /// `act` panics. The switch has then failed ([`Plane::failure`]).
    pub fn try_with_switch<T>(&self, act: impl FnOnce(&mut Switch, Nanos) -> T) -> Option<T> {
        let turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let mut switch = self.switch.lock().unwrap_or_else(PoisonError::into_inner);
        drop(turn);
        if self.failure.get().is_some() {
            return None;
        }
        // The lock is held until the failure is recorded, so no thread sees a partly changed
        // switch.
        let lent = catch_unwind(AssertUnwindSafe(|| self.run_with_switch(&mut switch, act)));
        let (result, wakes) = lent.unwrap_or_else(|panic| {
            self.fail(panic_message(&*panic));
            resume_unwind(panic)
        });
        drop(switch);
        if wakes {
            self.wake();
        }
        Some(result)
    }

    /// Calls `act` with the switch. Returns the result of `act`, and whether the first worker
    /// should wake up.
    fn run_with_switch<T>(
        &self,
        switch: &mut Switch,
        act: impl FnOnce(&mut Switch, Nanos) -> T,
    ) -> (T, bool) {
        let replaced = switch.replaced();
        let result = act(switch, self.clock.now());
        if switch.replaced() != replaced {
            self.programs.fetch_add(1, Ordering::Release);
        }
        // The deadline is stored here, so that workers can read it without waiting for a
        // controller's request.
        let lists = self.with_server(|server| server.next_deadline(self.device_id)).flatten();
        let due = switch.next_deadline().into_iter().chain(lists).min().unwrap_or(Nanos::MAX);
        let is_earlier = self.deadline.swap(due, Ordering::AcqRel) > due;
        let has_messages = switch.has_messages();
        self.has_messages.store(has_messages, Ordering::Release);
        (result, is_earlier || has_messages)
    }

    /// Records that a panic has left the switch partly changed: its workers stop at once.
    fn fail(&self, why: String) {
        tracing::error!(
            switch = self.name,
            why,
            "a change of the switch has failed before its end; the switch stops, because its tables may be \
             wrong"
        );
        // Only the first panic is kept.
        let _ = self.failure.set(why);
        self.stop();
    }

    /// Returns the message of the panic that left the switch partly changed, if there was one. The
    /// workers have stopped or will stop soon.
    pub fn failure(&self) -> Option<&str> {
        self.failure.get().map(String::as_str)
    }

    /// Applies the files of the switch, which were read again.
    ///
    /// # Errors
    /// The state of the switch cannot be read, or the switch has failed; nothing has changed.
    pub fn reload(&self, reload: Reload) -> Result<Reloaded, String> {
        let reloaded = self.try_with_switch(|switch, now| {
            let server = self.server.read().unwrap_or_else(PoisonError::into_inner);
            match &*server {
                Some(server) => server.reload(self.device_id, reload, switch, now),
                None => reload.apply(switch, now),
            }
        });
        reloaded.unwrap_or_else(|| Err("the switch has failed".to_owned()))
    }

    /// Returns a worker for the current program, the rules for offloads, and the program's number.
    /// `None` if the switch has failed.
    pub fn worker(&self) -> Option<(Worker, Arc<OffloadRules>, u64)> {
        self.try_with_switch(|switch, _| {
            let program = self.program();
            let mut passing = self.passing.lock().unwrap_or_else(PoisonError::into_inner);
            if passing.0 != program {
                *passing = (program, None);
            }
            let known = passing.1.get_or_insert_with(|| {
                let choice = self.gso.get().copied().unwrap_or_default();
                let passing = OffloadRules::new(choice, switch.whole_frames());
                passing.log(self.name.as_deref());
                Arc::new(passing)
            });
            (switch.worker(), Arc::clone(known), program)
        })
    }

    /// Returns the number of the current program, counted from 1. Workers made for other programs
    /// do nothing.
    pub fn program(&self) -> u64 {
        self.programs.load(Ordering::Acquire)
    }

    /// Runs the work that is due: sends packets that waited in the switch, and delivers messages to
    /// controllers.
    pub fn catch_up(&self, out: &mut Vec<Transmission>) {
        if self.next_deadline() <= self.clock.now() || self.has_messages.load(Ordering::Acquire) {
            self.try_with_switch(|switch, now| {
                switch.advance(now, out);
                self.deliver(switch, now);
            });
        }
    }

    /// Tells the switch and the clients of BfRt that the link of a port went up or down.
    pub fn set_port_up(&self, port: Port, up: bool) {
        self.try_with_switch(|switch, now| {
            switch.set_port_up(now, port, up);
            let bfrt = self.bfrt.read().unwrap_or_else(PoisonError::into_inner);
            if let (Some(bfrt), Ok(device)) = (bfrt.as_deref(), u32::try_from(self.device_id)) {
                bfrt.deliver(device, switch, now, &[], &[]);
            }
        });
    }

    /// Sends the messages of the switch to the controllers of all servers.
    fn deliver(&self, switch: &mut Switch, now: Nanos) {
        let bfrt = self.bfrt.read().unwrap_or_else(PoisonError::into_inner);
        let Some(bfrt) = bfrt.as_deref() else {
            self.with_server(|server| server.deliver_from(self.device_id, switch, now));
            return;
        };
        let mut control = switch.control_at(now);
        let (digests, notices) = (control.take_digests(), control.take_idle_notices());
        self.with_server(|server| {
            server.deliver_messages(self.device_id, switch, now, &digests, &notices);
        });
        if let Ok(device) = u32::try_from(self.device_id) {
            bfrt.deliver(device, switch, now, &digests, &notices);
        }
    }

    /// Returns the time of the next due work; [`Nanos::MAX`] if there is none.
    pub fn next_deadline(&self) -> Nanos {
        self.deadline.load(Ordering::Acquire)
    }

    /// Sends messages to the controllers of this server from now on.
    pub fn serve(&self, server: Arc<Server>) {
        *self.server.write().unwrap_or_else(PoisonError::into_inner) = Some(server);
        let to = Subscriptions { digests: true, log: false, idle: true };
        self.try_with_switch(|switch, _| switch.set_subscriptions(to));
    }

    /// Sends messages to the clients of this BfRt server from now on.
    pub fn serve_bfrt(&self, server: Arc<weir_bfrt::Server>) {
        *self.bfrt.write().unwrap_or_else(PoisonError::into_inner) = Some(server);
        let to = Subscriptions { digests: true, log: false, idle: true };
        self.try_with_switch(|switch, _| switch.set_subscriptions(to));
    }

    /// Stops the BfRt server, and tells its clients.
    pub fn stop_serving_bfrt(&self) {
        let server = self.bfrt.write().unwrap_or_else(PoisonError::into_inner).take();
        drop(server);
    }

    /// Stops the server, and tells its controllers.
    pub fn stop_serving(&self) {
        self.try_with_switch(|switch, _| switch.set_subscriptions(Subscriptions::default()));
        let server = self.server.write().unwrap_or_else(PoisonError::into_inner).take();
        drop(server);
    }

    /// Calls `act` with the server for controllers, if there is one. `act` must not call this
    /// function.
    pub fn with_server<T>(&self, act: impl FnOnce(&Server) -> T) -> Option<T> {
        self.server.read().unwrap_or_else(PoisonError::into_inner).as_deref().map(act)
    }

    /// Returns whether packets are inside the switch.
    pub fn has_packets(&self) -> bool {
        self.try_with_switch(|switch, _| switch.stats().in_flight > 0).unwrap_or(false)
    }

    /// Wakes the first worker.
    pub fn wake(&self) {
        // This fails only if the event is already readable.
        let _ = rustix::io::write(&self.event, &1_u64.to_ne_bytes());
    }

    /// Returns the event for which the first worker waits, in addition to frames.
    pub fn event(&self) -> BorrowedFd<'_> {
        self.event.as_fd()
    }

    /// Clears the event that woke the first worker.
    pub fn clear_event(&self) {
        // This fails only if the event is not readable.
        let _ = rustix::io::read(&self.event, &mut [0; 8]);
    }

    /// Asks all workers to stop.
    pub fn stop(&self) {
        self.stops.store(true, Ordering::Release);
        self.wake();
    }

    /// Returns whether workers should stop.
    pub fn is_stopping(&self) -> bool {
        self.stops.load(Ordering::Acquire)
    }
}
