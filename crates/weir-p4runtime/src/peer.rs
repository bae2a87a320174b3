//! The origin of requests.

use std::sync::Arc;

use tonic::Extensions;
use tonic::transport::server::TlsConnectInfo;

/// The origin of a connection.
#[derive(Clone, Debug)]
pub struct Peer(pub Arc<str>);

/// The origin of a request, from the value that its connection stored in it.
pub fn peer(extensions: &Extensions) -> String {
    let tls = || extensions.get::<TlsConnectInfo<Peer>>().map(TlsConnectInfo::get_ref);
    extensions.get::<Peer>().or_else(tls).map_or_else(|| "unknown".to_owned(), |peer| peer.0.to_string())
}
