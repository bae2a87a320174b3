//! A switch with its clients' notes.
//!
//! Locks are taken in this order: the switch (by its owner), the state, the sessions.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tonic::Status;
use weir_device::Nanos;
use weir_p4runtime_proto::bfrt;
use weir_p4runtime_proto::bfrt::stream_message_response::Update as Message;
use weir_switch::Switch;
use weir_switch::control::{Digest, IdleNotice, Update};

use crate::entities::{self, ALL_PIPES, ReadLimits, Reads, Writes};
use crate::info::{DeviceInfo, ProgramInfo};
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
    /// The tables of the current program; `None` before the switch was first used.
    info: Option<Arc<DeviceInfo>>,
    /// The number of times that the switch's program was replaced, and its state was reset.
    program: (u64, u64),
    notes: Notes,
    /// The ports, and whether each was up when clients were last told.
    ports: BTreeMap<u32, bool>,
}

/// The program of a switch, for clients.
pub struct Described {
    /// Its tables.
    pub info: Arc<DeviceInfo>,
    /// Its name.
    pub name: String,
}

impl Device {
    /// Creates a device without notes.
    pub fn new(number: u32, owner: Arc<dyn SwitchOwner>) -> Self {
        Self { number, owner, state: Mutex::default() }
    }

    /// Returns the name of the program.
    pub fn program_name(&self) -> String {
        self.owner.program_name()
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

    /// Returns the tables of the switch's program, and the state.
    ///
    /// # Errors
    /// The program cannot be shown to clients.
    fn current(&self, switch: &Switch) -> Result<(Arc<DeviceInfo>, MutexGuard<'_, State>), Status> {
        let mut state = self.state();
        let program = (switch.replaced(), switch.reset_count());
        if state.info.is_none() || state.program.0 != program.0 {
            let info = ProgramInfo::new(switch.program(), switch.schema()).map_err(|problems| {
                let first = problems.first().map(ToString::to_string).unwrap_or_default();
                Status::failed_precondition(format!("the program has no tables for clients: {first}"))
            })?;
            state.info = Some(Arc::new(DeviceInfo::new(info)));
        }
        if state.program != program {
            state.program = program;
            // The switch keeps its ports and sessions.
            let Notes { ports, mirrors, tells_ports, .. } = std::mem::take(&mut state.notes);
            state.notes = Notes { ports, mirrors, tells_ports, ..Notes::default() };
        }
        let info = state.info.clone().ok_or_else(|| Status::internal("the tables are not there"))?;
        Ok((info, state))
    }

    /// Describes the program.
    ///
    /// # Errors
    /// The switch is gone, or its program cannot be shown to clients.
    pub fn describe(&self) -> Result<Described, Status> {
        let info = self.with_switch(|switch, _| self.current(switch).map(|(info, _)| info))??;
        Ok(Described { info, name: self.program_name() })
    }

    /// Makes the changes of a request.
    ///
    /// # Errors
    /// The switch is gone, or the request as a whole is wrong.
    pub fn write(&self, request: &bfrt::WriteRequest) -> Result<Writes, Status> {
        self.with_switch(|switch, now| {
            let (info, mut state) = self.current(switch)?;
            let writes = entities::write(&info, &mut state.notes, switch, now, request)?;
            Ok(writes)
        })?
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
        self.with_switch(|switch, now| {
            let (info, state) = self.current(switch)?;
            Ok(entities::read(&info, &state.notes, switch, now, limits, request, sink))
        })?
    }

    /// Resets the state of the switch.
    ///
    /// # Errors
    /// The switch is gone.
    pub fn reset(&self) -> Result<(), Status> {
        self.with_switch(|switch, now| {
            // The reset leaves mirror sessions, which belong to no program.
            let reset = switch.control_at(now).transaction(|transaction| {
                let sessions: Vec<u32> = transaction.control().clone_sessions().map(|(id, _)| id).collect();
                for session in sessions {
                    transaction.write(&Update::SetCloneSession { session, config: None })?;
                }
                transaction.write(&Update::Reset)
            });
            reset.map_err(|error| Status::internal(error.to_string()))?;
            let (_, mut state) = self.current(switch)?;
            state.notes.mirrors.clear();
            Ok(())
        })?
    }

    /// Returns the messages for clients about digests, idle entries and ports of the switch.
    pub fn messages(
        &self,
        switch: &mut Switch,
        now: Nanos,
        digests: &[Digest],
        notices: &[IdleNotice],
    ) -> Vec<Message> {
        let Ok((info, mut state)) = self.current(switch) else { return Vec::new() };
        let mut messages = Vec::new();
        for digest in digests {
            let Some((digest_id, data)) = entities::digest(&info, digest) else { continue };
            match messages.last_mut() {
                Some(Message::Digest(list)) if list.digest_id == digest_id => list.data.push(data),
                _ => messages.push(Message::Digest(self.digest_list(digest_id, data))),
            }
        }
        let notices =
            notices.iter().filter_map(|notice| entities::idle_key(&info, &state.notes, self.number, notice));
        messages.extend(notices.map(Message::IdleTimeoutNotification));
        let control = switch.control_at(now);
        let ports: BTreeMap<u32, bool> =
            control.ports().map(|port| (port, control.is_port_up(port))).collect();
        if state.notes.tells_ports {
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
            bfrt::TargetDevice { device_id: self.number, pipe_id: ALL_PIPES, direction: 0xff, prsr_id: 0xff };
        // Lists need no acknowledgement, so they have no number.
        bfrt::DigestList { digest_id, list_id: 0, data: vec![data], target: Some(target) }
    }
}
