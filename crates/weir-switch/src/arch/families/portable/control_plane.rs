//! The port of the control plane, and the session whose copies go there.

use std::collections::BTreeMap;

use weir_device::Port;

use crate::state::{CloneSession, Replica};

/// The port of the control plane: `PSA_PORT_CPU` and `PNA_PORT_CPU`.
const PORT_CPU: Port = 0xffff_fffd;

/// The session that every switch has: for clones in PSA, and for mirrored packets in PNA.
const SESSION_TO_CPU: u32 = 0;

/// Returns the sessions that exist at first.
pub(in crate::arch) fn first_sessions() -> BTreeMap<u32, CloneSession> {
    let to_cpu = CloneSession {
        replicas: vec![Replica::new(PORT_CPU, 0)],
        priority: Some(0),
        ..CloneSession::default()
    };
    BTreeMap::from([(SESSION_TO_CPU, to_cpu)])
}
