//! The origin of requests.

use std::sync::Arc;

use tonic::Extensions;
use tonic::transport::server::TlsConnectInfo;

use crate::budget::Account;

/// The origin of a connection.
#[derive(Clone, Debug)]
pub struct Peer {
    /// Its address, or its process.
    pub name: Arc<str>,
    /// The memory of the connection.
    pub account: Account,
}

impl Peer {
    /// The origin of a request, from the value that its connection stored in it.
    pub fn of(extensions: &Extensions) -> Option<&Self> {
        let tls = || extensions.get::<TlsConnectInfo<Self>>().map(TlsConnectInfo::get_ref);
        extensions.get::<Self>().or_else(tls)
    }
}
