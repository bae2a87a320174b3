//! The client that sent a request.

use std::sync::{Arc, OnceLock};

use rustls::pki_types::CertificateDer;
use tonic::Extensions;
use tonic::transport::server::TlsConnectInfo;
use webpki::EndEntityCert;

use crate::budget::{Account, Held};

/// The number of bytes that a client may send on a connection before the server has read them.
pub const WINDOW: u32 = 256 << 10;

/// The maximum number of a certificate's names that log lines and messages show.
const MAX_SHOWN_NAMES: usize = 4;

/// The client at the other end of a connection.
#[derive(Clone, Debug)]
pub struct Peer {
    /// The client's address, or its process if it uses a Unix socket.
    pub name: Arc<str>,
    /// The connection's memory account.
    pub account: Account,
    /// The DNS names in the client's certificate. Not set if the client has no certificate.
    certificate: Arc<OnceLock<Vec<String>>>,
    /// The memory for the bytes that the client may send before the server reads them. Reserved
    /// from the first request on.
    pub window: Arc<OnceLock<Held>>,
}

impl Peer {
    /// Creates a peer with this address or process, without a certificate so far.
    pub fn new(name: impl Into<Arc<str>>, account: Account) -> Self {
        Self { name: name.into(), account, certificate: Arc::default(), window: Arc::default() }
    }

    /// Returns the client that sent a request. The connection has stored it in the request's
    /// extensions.
    pub fn from_extensions(extensions: &Extensions) -> Option<&Self> {
        let tls = extensions.get::<TlsConnectInfo<Self>>().map(TlsConnectInfo::get_ref);
        tls.or_else(|| extensions.get::<Self>())
    }

    /// Stores the names in the peer's verified certificate.
    pub fn set_certificate(&self, certificate: &CertificateDer<'_>) {
        let parsed = EndEntityCert::try_from(certificate).ok();
        let names = parsed.iter().flat_map(|parsed| parsed.valid_dns_names());
        self.certificate.get_or_init(|| names.map(str::to_owned).collect());
    }

    /// Returns the DNS names in the peer's certificate.
    pub fn names(&self) -> &[String] {
        self.certificate.get().map_or(&[], Vec::as_slice)
    }

    /// Returns whether the peer has a certificate that the clients' authority has signed.
    pub fn has_certificate(&self) -> bool {
        self.certificate.get().is_some()
    }

    /// Describes the peer for log lines: its address, and the names in its certificate.
    pub fn description(&self) -> String {
        match self.names() {
            [] => self.name.to_string(),
            _ => format!("{} ({})", self.name, self.shown_names()),
        }
    }

    /// Lists the first names in the peer's certificate, and says how many more there are.
    pub fn shown_names(&self) -> String {
        let names = self.names();
        let list = names[..names.len().min(MAX_SHOWN_NAMES)].join(", ");
        match names.len().saturating_sub(MAX_SHOWN_NAMES) {
            0 => list,
            more => format!("{list} and {more} more"),
        }
    }

    /// Records that a request has arrived.
    pub fn ask(&self) {
        self.window.get_or_init(|| self.account.take_anyway(WINDOW as usize));
        self.account.ask();
    }
}
