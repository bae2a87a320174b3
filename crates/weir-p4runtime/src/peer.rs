//! The client that sent a request.

use std::sync::Arc;

use tonic::Extensions;
use tonic::transport::server::TlsConnectInfo;

use crate::budget::Account;

/// The client at the other end of a connection.
#[derive(Clone, Debug)]
pub struct Peer {
    /// The client's address, or its process on a Unix socket.
    pub name: Arc<str>,
    /// The memory of the connection.
    pub account: Account,
}

impl Peer {
    /// The client that sent a request. The connection stored this value in the request's
    /// extensions.
    pub fn of(extensions: &Extensions) -> Option<&Self> {
        let tls = || extensions.get::<TlsConnectInfo<Self>>().map(TlsConnectInfo::get_ref);
        extensions.get::<Self>().or_else(tls)
    }
}
