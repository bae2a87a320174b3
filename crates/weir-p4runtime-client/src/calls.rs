//! Calls of a server: the connection's address and encryption, and how a client waits for answers.

use std::time::Duration;

use tokio::runtime::Runtime;
use tonic::Request;
use tonic::transport::{Certificate, ClientTlsConfig, Endpoint, Identity};

use super::outcome::Refusal;
use crate::proto::chain;

/// The maximum size of headers and trailers that a client accepts, in bytes as HTTP/2 counts them.
/// It is large because other servers send an outcome for each update of a batch, even if the
/// outcomes are very long.
const MAX_HEADERS: u32 = 4 << 20;

/// The client's certificates and keys in PEM, for TLS.
#[derive(Clone, Debug, Default)]
pub struct ClientTls {
    /// The authorities whose signatures are trusted.
    pub ca: Vec<u8>,
    /// The client's own certificate and key.
    pub identity: Option<(Vec<u8>, Vec<u8>)>,
    /// The server's name in its certificate, if it is not the address's.
    pub server_name: Option<String>,
}

/// Runs a function that waits for a server. If the caller holds a lock that others need during the
/// wait, this function can release it.
pub type Waiting = fn(&mut (dyn FnMut() + Send));

/// Makes calls, and waits for their results in the way in which the owner wants to wait.
pub(super) struct Caller {
    runtime: Runtime,
    pub waiting: Waiting,
    timeout: Duration,
}

impl Caller {
    /// Starts the thread that handles the connection. A call takes at most `timeout`.
    pub fn new(waiting: Waiting, timeout: Duration) -> Result<Self, Refusal> {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.map_err(|error| Refusal::new(format!("cannot start a thread: {error}")))?;
        Ok(Self { runtime, waiting, timeout })
    }

    /// Waits for the result of a call.
    pub fn wait<F: Future<Output: Send> + Send>(&self, call: F) -> F::Output {
        let (mut call, mut answer) = (Some(call), None);
        (self.waiting)(&mut || answer = call.take().map(|call| self.runtime.block_on(call)));
        answer.expect("the function was called")
    }

    /// Makes a request with the time-out.
    pub fn request<T>(&self, message: T) -> Request<T> {
        let mut request = Request::new(message);
        request.set_timeout(self.timeout);
        request
    }
}

/// Makes the endpoint of a server from its address and the TLS settings.
pub(super) fn endpoint(
    address: &str,
    tls: Option<&ClientTls>,
    timeout: Duration,
) -> Result<Endpoint, Refusal> {
    let scheme = if tls.is_some() { "https" } else { "http" };
    let uri = if address.starts_with("unix:") { address.to_owned() } else { format!("{scheme}://{address}") };
    let bad_address = |error: &dyn std::fmt::Display| {
        Refusal::new(format!(
            "\"{address}\" is not an address of a server ({error}): expected HOST:PORT, such as 127.0.0.1:9559, or unix:PATH"
        ))
    };
    let endpoint = Endpoint::from_shared(uri)
        .map_err(|error| bad_address(&error))?
        .connect_timeout(timeout)
        .http2_max_header_list_size(MAX_HEADERS);
    let Some(tls) = tls else { return Ok(endpoint) };
    let mut settings = ClientTlsConfig::new().ca_certificate(Certificate::from_pem(&tls.ca));
    if let Some((certificate, key)) = &tls.identity {
        settings = settings.identity(Identity::from_pem(certificate, key));
    }
    if let Some(name) = &tls.server_name {
        settings = settings.domain_name(name);
    }
    endpoint
        .tls_config(settings)
        .map_err(|error| Refusal::new(format!("the certificates cannot be used: {}", chain(&error))))
}
