//! The origin of requests.

use std::sync::{Arc, OnceLock};

use tonic::Extensions;
use tonic::transport::server::TlsConnectInfo;

use crate::budget::{Account, Held};

/// What a client may send on a connection before the server has read it, in bytes.
pub const WINDOW: u32 = 256 << 10;

/// The origin of a connection.
#[derive(Clone, Debug)]
pub struct Peer {
    /// Its address, or its process.
    pub name: Arc<str>,
    /// The memory of the connection.
    pub account: Account,
    /// The memory for what the client may send before it is read, from the first request on.
    pub window: Arc<OnceLock<Held>>,
}

impl Peer {
    /// The origin of a request, from the value that its connection stored in it.
    pub fn of(extensions: &Extensions) -> Option<&Self> {
        let tls = || extensions.get::<TlsConnectInfo<Self>>().map(TlsConnectInfo::get_ref);
        extensions.get::<Self>().or_else(tls)
    }

    /// A request has arrived.
    pub fn ask(&self) {
        self.window.get_or_init(|| self.account.take_anyway(WINDOW as usize));
        self.account.ask();
    }
}
