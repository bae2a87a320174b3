//! A switch with its controllers and its program.
//!
//! Locks are taken in this order: the switch (by its owner), the program, the unanswered messages,
//! the controllers.

mod lockstep;
mod messages;
mod programs;
mod requests;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustc_hash::FxHashSet;
use tonic::{Code, Status};
use weir_device::{Nanos, Port};
use weir_grpc::Peer;
use weir_switch::Switch;

use crate::owner::SwitchOwner;
use crate::proto::v1;
use crate::sessions::{
    ArbitrationLimits, Bid, ClientId, MAX_NAME, Outbox, Receives, Refusal, RoleConfig, RoleName, Sessions,
    WriteRefusal,
};
use crate::wire::number;

use lockstep::Lockstep;
use programs::Programs;
pub use programs::{MakeExecutor, Tools};

/// A switch that controllers address by its device id.
pub struct Device {
    /// The device id.
    pub number: u64,
    owner: Arc<dyn SwitchOwner>,
    programs: Mutex<Programs>,
    /// Held while a program is compiled and installed, so that programs are installed one after the
    /// other.
    changing_program: Arc<tokio::sync::Mutex<()>>,
    sessions: Mutex<Sessions>,
    lockstep: Lockstep,
    /// The ports for which the user was already warned that copies go to a port that the switch
    /// does not have.
    warned_ports: Mutex<FxHashSet<Port>>,
    log: Mutex<ElectionLog>,
}

/// Limits the log lines about elections, because controllers can cause any number of them.
#[derive(Debug, Default)]
struct ElectionLog {
    /// The start of the current second, and the number of lines that were logged in it.
    second: Option<(Instant, usize)>,
    /// The number of lines that were left out since the last logged line.
    left_out: usize,
}

impl ElectionLog {
    /// The maximum number of lines per second.
    const MAX_LINES_PER_SECOND: usize = 20;

    /// Returns the text to log for a line, or `None` if the line is left out.
    fn line(&mut self, now: Instant, line: String) -> Option<String> {
        let (start, lines) = self.second.get_or_insert((now, 0));
        if now.duration_since(*start) >= Duration::from_secs(1) {
            (*start, *lines) = (now, 0);
        }
        *lines += 1;
        if *lines > Self::MAX_LINES_PER_SECOND {
            self.left_out += 1;
            return None;
        }
        match std::mem::take(&mut self.left_out) {
            0 => Some(line),
            left_out => Some(format!("{line} ({left_out} earlier lines about elections are left out)")),
        }
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The exclusive right to change the program, until this value is dropped.
pub struct ProgramTurn {
    _held: tokio::sync::OwnedMutexGuard<()>,
}

/// A primary's running write, which ends when this value is dropped.
pub struct WritePermit<'a> {
    device: &'a Device,
    role: RoleName,
    /// The role's permissions; `None` if the role may do everything.
    pub config: Option<Arc<RoleConfig>>,
}

impl Drop for WritePermit<'_> {
    fn drop(&mut self) {
        self.device.sessions().end_write(&self.role);
        self.device.log_elections();
    }
}

impl Device {
    /// Creates a switch without controllers and, from their point of view, without a program.
    pub fn new(number: u64, owner: Arc<dyn SwitchOwner>, limits: ArbitrationLimits) -> Self {
        Self {
            number,
            owner,
            programs: Mutex::default(),
            changing_program: Arc::default(),
            sessions: Mutex::new(Sessions::new(number, limits)),
            lockstep: Lockstep::default(),
            warned_ports: Mutex::default(),
            log: Mutex::default(),
        }
    }

    /// Locks and returns the sessions of the controllers.
    pub fn sessions(&self) -> MutexGuard<'_, Sessions> {
        locked(&self.sessions)
    }

    /// Handles a controller's bid. If the primary bids again, it has handled a message. Its earlier
    /// packets have arrived by then, because the messages of a stream stay in order.
    ///
    /// # Errors
    /// The bid is refused. The controller's stream must end.
    pub fn bid(
        &self,
        client: ClientId,
        role: RoleName,
        update: &v1::MasterArbitrationUpdate,
        outbox: &Outbox,
        peer: &Peer,
        receives: Receives,
    ) -> Result<(), Status> {
        if update.role.as_ref().is_some_and(|role| role.name.len() > MAX_NAME) {
            return Err(Status::invalid_argument(format!("a role's name has at most {MAX_NAME} bytes")));
        }
        if let Some((known, _)) = self.sessions().arbitration().client(client)
            && *known != role
        {
            return Err(Status::failed_precondition(Refusal::OtherRole(known.clone()).to_string()));
        }
        let config = update.role.as_ref().and_then(|role| role.config.as_ref()).map(RoleConfig::read);
        let bid = Bid {
            role,
            election_id: update.election_id.as_ref().map(number),
            config: config.transpose().map_err(Status::invalid_argument)?.map(Arc::new),
            connection: peer.account.id(),
        };
        if self.is_primary(client) {
            self.lockstep.record_answer();
        }
        let outcome = self.sessions().bid(client, update, bid, outbox, peer, receives);
        self.log_elections();
        outcome.map_err(|refusal| {
            let code = match refusal {
                Refusal::IdInUse(_) | Refusal::Conflict { .. } => Code::InvalidArgument,
                Refusal::OtherRole(_) => Code::FailedPrecondition,
                Refusal::TooManyClients(_)
                | Refusal::TooManyWithoutId(_)
                | Refusal::TooManyRoles(_)
                | Refusal::TooManyRolesOfOne(_) => Code::ResourceExhausted,
            };
            Status::new(code, refusal.to_string())
        })
    }

    /// Removes a controller whose stream has ended.
    pub fn leave(&self, client: ClientId) {
        self.sessions().leave(client);
        self.log_elections();
    }

    /// Logs which controllers became or ceased to be primary of a role.
    fn log_elections(&self) {
        let lines = self.sessions().take_elections();
        if lines.is_empty() {
            return;
        }
        let mut log = locked(&self.log);
        for line in lines {
            if let Some(line) = log.line(Instant::now(), line) {
                self.owner.log(&line);
            }
        }
    }

    /// Begins a write, if the request comes from the primary.
    ///
    /// # Errors
    /// `NOT_FOUND` if no controller has ever bid for the role, `PERMISSION_DENIED` if the request
    /// does not come from the primary.
    pub fn begin_write(&self, role: RoleName, id: Option<&v1::Uint128>) -> Result<WritePermit<'_>, Status> {
        match self.sessions().arbitration().begin_write(&role, id.map(number)) {
            Ok(config) => Ok(WritePermit { device: self, role, config }),
            Err(refusal @ WriteRefusal::NoSuchRole(_)) => Err(Status::not_found(refusal.to_string())),
            Err(refusal @ WriteRefusal::NotPrimary { .. }) => {
                Err(Status::permission_denied(refusal.to_string()))
            }
        }
    }

    /// Begins a change of the program, if the request comes from the primary and its role may
    /// change the program.
    ///
    /// # Errors
    /// The errors of [`Device::begin_write`], and `PERMISSION_DENIED` if the role is not
    /// permitted to change the program.
    pub fn begin_program_change(
        &self,
        role: RoleName,
        id: Option<&v1::Uint128>,
    ) -> Result<WritePermit<'_>, Status> {
        let permit = self.begin_write(role, id)?;
        if permit.config.as_ref().is_some_and(|config| !config.pipeline) {
            return Err(Status::permission_denied(
                "this role is not permitted to change the program (can_push_pipeline)",
            ));
        }
        Ok(permit)
    }

    /// Returns whether a controller is the primary of its role.
    pub fn is_primary(&self, client: ClientId) -> bool {
        self.sessions().arbitration().as_primary(client).is_some()
    }

    /// Returns whether a controller is the primary of its role, and the role may write an object.
    pub fn may_write(&self, client: ClientId, id: u32) -> bool {
        let mut sessions = self.sessions();
        let config = sessions.arbitration().as_primary(client);
        config.is_some_and(|config| config.is_none_or(|config| config.may_write(id)))
    }

    /// Returns whether a controller may send packets.
    pub fn sends_packets(&self, client: ClientId) -> bool {
        let mut sessions = self.sessions();
        let config = sessions.arbitration().as_primary(client);
        config.is_some_and(|config| config.is_none_or(|config| config.packets))
    }

    /// Waits until no other call changes the program. The wait does not occupy a thread. Otherwise,
    /// many calls that compile would leave no thread for others.
    pub async fn turn_to_change_program(&self) -> ProgramTurn {
        ProgramTurn { _held: Arc::clone(&self.changing_program).lock_owned().await }
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floods_of_elections_leave_most_lines_out() {
        let (mut log, start) = (ElectionLog::default(), Instant::now());
        let mut lines = |after| {
            let lines = (0..50).filter_map(|_| log.line(start + after, "line".to_owned()));
            lines.collect::<Vec<_>>()
        };
        assert_eq!(lines(Duration::ZERO), vec!["line"; 20]);
        assert!(lines(Duration::from_millis(999)).is_empty());
        let next = lines(Duration::from_secs(1));
        assert_eq!((next.len(), &*next[0]), (20, "line (80 earlier lines about elections are left out)"));
        assert_eq!(next[1..], vec!["line"; 19]);
    }
}
