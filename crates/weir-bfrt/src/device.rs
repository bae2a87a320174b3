//! A switch, and the data that its clients store with it.
//!
//! Locks are taken in this order: the switch (by its owner), the state, the sessions.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tonic::Status;
use weir_device::Nanos;
use weir_p4runtime_proto::bfrt;
use weir_p4runtime_proto::bfrt::stream_message_response::Update as Message;
use weir_switch::Switch;
use weir_switch::control::{Digest, IdleNotice};

use crate::entities::{self, PIPE, ReadLimits, Reads, Writes};
use crate::info::DeviceInfo;
use crate::notes::Notes;
use crate::owner::SwitchOwner;

/// A switch that clients address by its number.
pub struct Device {
    /// The number.
    pub number: u32,
    owner: Arc<dyn SwitchOwner>,
    state: Mutex<State>,
}

/// The data about a switch that a server needs.
#[derive(Default)]
struct State {
    /// The running program.
    running: View,
    /// The name of the running program, if a client sent it.
    name: Option<String>,
    /// The program that a client has sent, and that has not started yet.
    next: Option<Next>,
    /// The ports, and whether each was up in the last message to clients.
    ports: BTreeMap<u32, bool>,
}

/// The view of a switch that clients have.
#[derive(Default)]
struct View {
    /// The tables of the program; `None` before the switch was first used.
    info: Option<Arc<DeviceInfo>>,
    /// The number of times that the switch's program was replaced, and its state was reset.
    program: (u64, u64),
    notes: Notes,
}

/// A program that will replace the running one. Clients can already read and write its tables.
struct Next {
    name: String,
    /// The client that sent the program.
    client: u32,
    /// A switch with the program, without packets.
    switch: Box<Switch>,
    view: View,
}

/// The program of a switch, for clients.
pub struct Described {
    /// The tables of the program.
    pub info: Arc<DeviceInfo>,
    /// The name of the program.
    pub name: String,
    /// The program itself, in a form that clients can send.
    pub program: Vec<u8>,
}

/// A checked program that a client sent, ready to start.
pub struct Prepared(Next);

impl View {
    /// Returns the tables of a switch's program.
    ///
    /// # Errors
    /// The program cannot be shown to clients.
    fn follow(&mut self, switch: &Switch) -> Result<Arc<DeviceInfo>, Status> {
        let program = (switch.replaced(), switch.reset_count());
        let known = self.info.clone().filter(|_| self.program.0 == program.0);
        let info = match known {
            Some(known) => known,
            None => Arc::new(DeviceInfo::of_switch(switch).map_err(Status::failed_precondition)?),
        };
        self.info = Some(Arc::clone(&info));
        if self.program != program {
            self.program = program;
            self.notes = std::mem::take(&mut self.notes).after_reset();
        }
        Ok(info)
    }
}

impl State {
    /// Returns the switch that clients control, and its view: those of the next program if there is
    /// one, and otherwise the running ones.
    fn controlled<'s>(&'s mut self, running: &'s mut Switch) -> (&'s mut Switch, &'s mut View) {
        match &mut self.next {
            Some(next) => (&mut next.switch, &mut next.view),
            None => (running, &mut self.running),
        }
    }
}

impl Device {
    /// Creates a device without notes.
    pub fn new(number: u32, owner: Arc<dyn SwitchOwner>) -> Self {
        Self { number, owner, state: Mutex::default() }
    }

    /// Returns the name of the program that clients control.
    pub fn program_name(&self) -> String {
        let state = self.state();
        let name = state.next.as_ref().map(|next| &next.name).or(state.name.as_ref());
        name.cloned().unwrap_or_else(|| self.owner.program_name())
    }

    /// Logs an action of a client.
    pub fn log(&self, line: &str) {
        self.owner.log(line);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Calls `act` with the switch and the time.
    fn with_switch<T>(&self, act: impl FnOnce(&mut Switch, Nanos) -> T) -> Result<T, Status> {
        let (mut act, mut result) = (Some(act), None);
        let lent = self.owner.with_switch(&mut |switch, now| {
            result = act.take().map(|act| act(switch, now));
        });
        lent.map_err(|unavailable| Status::unavailable(unavailable.to_string()))?;
        result.ok_or_else(|| Status::unavailable("the switch was not lent"))
    }

    /// Calls `act` with the switch that clients control, the time, its tables and its notes.
    fn with_controlled<T>(
        &self,
        act: impl FnOnce(&mut Switch, Nanos, &Arc<DeviceInfo>, &mut Notes) -> T,
    ) -> Result<T, Status> {
        self.with_switch(|running, now| {
            let mut state = self.state();
            let (switch, view) = state.controlled(running);
            let info = view.follow(switch)?;
            Ok(act(switch, now, &info, &mut view.notes))
        })?
    }

    /// Describes the program that clients control.
    ///
    /// # Errors
    /// The switch is gone, or its program cannot be shown to clients.
    pub fn describe(&self) -> Result<Described, Status> {
        let (info, executor) =
            self.with_controlled(|switch, _, info, _| (Arc::clone(info), Arc::clone(switch.executor())))?;
        let program = weir_ir::text::print(executor.program()).into_bytes();
        Ok(Described { info, name: self.program_name(), program })
    }

    /// Makes the changes of a request.
    ///
    /// # Errors
    /// The switch is gone, or the request as a whole is wrong.
    pub fn write(&self, request: &bfrt::WriteRequest, ignores_missing: bool) -> Result<Writes, Status> {
        let writes = self.with_controlled(|switch, now, info, notes| {
            entities::write(info, notes, switch, now, request, ignores_missing)
        })?;
        Ok(writes?)
    }

    /// Reads entities, all at one point in time.
    ///
    /// # Errors
    /// The switch is gone.
    pub fn read(
        &self,
        request: &bfrt::ReadRequest,
        limits: ReadLimits,
        sink: &mut dyn FnMut(bfrt::ReadResponse) -> bool,
    ) -> Result<Reads, Status> {
        self.with_controlled(|switch, now, info, notes| {
            entities::read(info, notes, switch, now, limits, request, sink)
        })
    }

    /// Checks a program that a client sent, which can take seconds. A program without bytes must be
    /// the running one.
    ///
    /// # Errors
    /// The program cannot run, or the switch is gone.
    pub fn prepare(&self, client: u32, name: &str, program: &[u8]) -> Result<Prepared, Status> {
        let refused = |why: String| Status::invalid_argument(shortened(&why));
        let (settings, executor) =
            self.with_switch(|switch, _| (switch.config().clone(), Arc::clone(switch.executor())))?;
        let running = self.state().name.clone().unwrap_or_else(|| self.owner.program_name());
        let switch = match program.is_empty() {
            false => self.owner.make_switch(program, settings).map_err(refused)?,
            true if name == running => {
                Switch::new(executor, settings).map_err(|error| refused(error.to_string()))?
            }
            true => {
                return Err(refused(format!(
                    "the request has no program {name:?} (`binary` of a profile), and the switch runs \
                     {running:?}"
                )));
            }
        };
        weir_control::check_ports(&switch).map_err(refused)?;
        let mut view = View::default();
        view.follow(&switch)?;
        Ok(Prepared(Next { name: name.to_owned(), client, switch: Box::new(switch), view }))
    }

    /// Gives clients control of a prepared program, although packets still run through the running
    /// one until [`Device::end`]. If another prepared program is waiting for its start, and the
    /// client that sent it no longer has a stream, this program takes its place.
    ///
    /// # Errors
    /// Another prepared program is waiting, and its client has a stream; or the switch is gone.
    pub fn begin(&self, prepared: Prepared, has_stream: impl Fn(u32) -> bool) -> Result<(), Status> {
        self.with_switch(|_, _| {
            let mut state = self.state();
            if let Some(next) = state.next.as_ref().filter(|next| has_stream(next.client)) {
                let why =
                    format!("the program {:?} is waiting: end its start first (WARM_INIT_END)", next.name);
                return Err(Status::unavailable(why));
            }
            let Prepared(mut next) = prepared;
            let Notes { ports, tells_ports, .. } = state.running.notes.clone();
            next.view.notes = Notes { ports, tells_ports, ..Notes::default() };
            state.next = Some(next);
            Ok(())
        })?
    }

    /// Replaces the running program by the one that [`Device::begin`] was called with: packets run
    /// through the new program from now on.
    ///
    /// # Errors
    /// [`Device::begin`] was not called, or the switch is gone.
    pub fn end(&self) -> Result<(), Status> {
        self.with_switch(|running, now| {
            let mut state = self.state();
            let Some(Next { name, switch, view, .. }) = state.next.take() else {
                return Err(Status::unavailable(
                    "no program waits for its start: begin one with VERIFY_AND_WARM_INIT_BEGIN",
                ));
            };
            switch.take_place_of(running, now);
            let program = (running.replaced(), running.reset_count());
            state.running = View { program, ..view };
            state.name = Some(name);
            Ok(())
        })?
    }

    /// Returns the messages for clients about digests, idle entries and ports of the switch.
    /// `wants_active` says whether to report entries that are no longer idle, too.
    pub fn messages(
        &self,
        switch: &mut Switch,
        now: Nanos,
        digests: &[Digest],
        notices: &[IdleNotice],
        wants_active: bool,
    ) -> Vec<Message> {
        let mut state = self.state();
        let Ok(info) = state.running.follow(switch) else { return Vec::new() };
        let mut messages = Vec::new();
        for digest in digests {
            let Some((digest_id, data)) = entities::digest(&info, digest) else { continue };
            match messages.last_mut() {
                Some(Message::Digest(list)) if list.digest_id == digest_id => list.data.push(data),
                _ => messages.push(Message::Digest(self.digest_list(digest_id, data))),
            }
        }
        let control = switch.control_at(now);
        if wants_active {
            let active = entities::active_keys(&info, &mut state.running.notes, &control, self.number);
            messages.extend(active.into_iter().map(Message::IdleTimeoutNotification));
        }
        let notices = notices.iter().filter_map(|notice| {
            entities::idle_key(&info, &mut state.running.notes, &control, self.number, notice)
        });
        messages.extend(notices.map(Message::IdleTimeoutNotification));
        let ports: BTreeMap<u32, bool> =
            control.ports().map(|port| (port, control.is_port_up(port))).collect();
        if state.running.notes.tells_ports {
            let known = &state.ports;
            let changed = ports.iter().filter(|(port, up)| known.get(port).is_some_and(|known| known != *up));
            let changed = changed.filter_map(|(port, up)| entities::port_key(&info, *port, *up));
            messages.extend(changed.map(Message::PortStatusChangeNotification));
        }
        state.ports = ports;
        messages
    }

    fn digest_list(&self, digest_id: u32, data: bfrt::TableData) -> bfrt::DigestList {
        let target =
            bfrt::TargetDevice { device_id: self.number, pipe_id: PIPE, direction: 0xff, prsr_id: 0xff };
        // Lists need no acknowledgement, so they have no number.
        bfrt::DigestList { digest_id, list_id: 0, data: vec![data], target: Some(target) }
    }
}

/// The maximum length of a status message in bytes: clients refuse long ones.
const MAX_MESSAGE: usize = 2000;

/// Returns the start of a long text.
fn shortened(text: &str) -> String {
    let end = (0..=MAX_MESSAGE.min(text.len())).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    let (shown, rest) = text.split_at(end);
    if rest.is_empty() { shown.to_owned() } else { format!("{shown} …") }
}
