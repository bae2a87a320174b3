//! Where requests come from.

use std::sync::Arc;

use tonic::Extensions;
use tonic::transport::server::TlsConnectInfo;

/// Where a connection comes from.
#[derive(Clone, Debug)]
pub struct Peer(pub Arc<str>);

/// Where a request comes from, by what its connection left in it.
pub fn peer(extensions: &Extensions) -> String {
    let tls = || extensions.get::<TlsConnectInfo<Peer>>().map(TlsConnectInfo::get_ref);
    extensions.get::<Peer>().or_else(tls).map_or_else(|| "unknown".to_owned(), |peer| peer.0.to_string())
}
