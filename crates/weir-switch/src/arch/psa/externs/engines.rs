//! The packet replication engine and the buffering and queueing engine, which have no methods.

use super::{Extern, Fields};
use crate::arch::externs::Object;
use crate::error::LoadError;
use crate::externs::ExternState;

pub(super) struct Engines;

impl Extern<Fields> for Engines {
    fn types(&self) -> &'static [&'static str] {
        &["PacketReplicationEngine", "BufferingQueueingEngine"]
    }

    fn object(&self, _object: &Object<'_>) -> Result<ExternState, LoadError> {
        Ok(ExternState::Stateless)
    }
}
