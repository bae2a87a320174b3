//! Serves a service at sockets.

use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::watch;
use tonic::body::Body;
use tonic::codegen::Service;
use tonic::codegen::http::{Request, Response};
use tonic::server::NamedService;
use tonic::transport::server::Connected;
use weir_accept::Gate;

use crate::budget::Budget;
use crate::config::{KeepAlive, Listen, SharedThreads};
use crate::listener::{Gates, Incoming, ListenError, SocketFiles, Sockets};
use crate::metered::Metered;
use crate::peer::{Peer, WINDOW};
use crate::received::MessageLimits;
use crate::tls::Tls;

/// The time that connections may take to close after the server was asked to stop.
const CLOSING_TIMEOUT: Duration = Duration::from_secs(2);

/// The maximum size of a call's headers in bytes.
const HEADERS: u32 = 8 << 10;

/// The addresses and the limits of a service.
pub struct ServeConfig<'c> {
    /// The name of the protocol, for log lines.
    pub protocol: &'static str,
    /// The addresses.
    pub listen: &'c [Listen],
    /// The certificates for TCP sockets, if they use TLS.
    pub tls: Option<Arc<Tls>>,
    /// Whether TCP sockets that other computers can reach may work without TLS.
    pub plaintext: bool,
    /// The intervals after which unresponsive connections are closed.
    pub keep_alive: KeepAlive,
    /// The numbers of connections.
    pub places: weir_accept::Limits,
    /// The maximum number of concurrent calls on a connection.
    pub calls: u32,
    /// The sizes of messages.
    pub messages: MessageLimits,
    /// The memory for clients in bytes.
    pub memory: usize,
    /// The option of the command line that sets the memory, for messages.
    pub memory_option: &'static str,
}

/// A service that is being served. Dropping this value stops it: streams end, running calls finish,
/// and sockets close. Connections that are still open after two seconds are closed.
pub struct Serving {
    gates: Gates,
    stop: watch::Sender<bool>,
    /// Receives a message when all connections have been closed.
    stopped: Mutex<mpsc::Receiver<()>>,
    addresses: Vec<Listen>,
    _files: SocketFiles,
}

impl Serving {
    /// Starts to serve. The service ends its streams when `stop` sends true. `admit` is called for
    /// each client with a certificate, before its first request.
    ///
    /// # Errors
    /// The server cannot listen on an address.
    pub fn start<S>(
        config: &ServeConfig<'_>,
        threads: &SharedThreads,
        stop: watch::Sender<bool>,
        service: &S,
        admit: impl Fn(&Peer) + Send + Sync + 'static,
    ) -> Result<Self, ListenError>
    where
        S: Service<Request<Body>, Response = Response<Body>, Error = Infallible>,
        S: NamedService + Clone + Send + Sync + 'static,
        S::Future: Send,
    {
        let entered = threads.runtime.enter();
        let mut sockets = Sockets::bind(config.listen, config.tls.is_some() || config.plaintext)?;
        let stopping = stop.subscribe();
        let gate = Gate::new(config.protocol, config.places);
        let budget = Budget::new(config.memory, config.memory_option);
        let gates = Gates { gate, budget, stopping };
        let mut serving = Vec::new();
        match (sockets.accept_tcp(&gates), &config.tls) {
            (Some(tcp), Some(tls)) => {
                let opened = tcp.with_tls(tls, &gates.stopping, admit);
                serving.push(serve(config, service, opened, &gates.stopping));
            }
            (Some(tcp), None) => serving.push(serve(config, service, tcp, &gates.stopping)),
            (None, _) => {}
        }
        if let Some(unix) = sockets.accept_unix(&gates) {
            serving.push(serve(config, service, unix, &gates.stopping));
        }
        serving.append(&mut sockets.accepting);
        let (report, stopped) = mpsc::sync_channel(1);
        threads.runtime.spawn(async move {
            for serving in serving {
                let _ended = serving.await;
            }
            let _nobody_waits = report.send(());
        });
        drop(entered);
        let Sockets { addresses, files, .. } = sockets;
        Ok(Self { gates, stop, stopped: Mutex::new(stopped), addresses, _files: files })
    }

    /// Returns the addresses of the sockets. Port 0 is replaced with the free port that was chosen.
    pub fn addresses(&self) -> &[Listen] {
        &self.addresses
    }

    /// Returns the number of bytes of the memory for clients that are in use.
    pub fn memory(&self) -> usize {
        self.gates.budget.used()
    }

    /// Returns the counts of connections: accepted, closed by reason, open.
    pub fn connections(&self) -> weir_accept::Counts {
        self.gates.gate.counts()
    }

    /// Begins to stop without waiting. Streams end and sockets close.
    pub fn begin_to_stop(&self) {
        self.stop.send_replace(true);
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        self.begin_to_stop();
        let stopped = self.stopped.get_mut().unwrap_or_else(PoisonError::into_inner);
        let _late = stopped.recv_timeout(CLOSING_TIMEOUT);
    }
}

/// Serves connections on the current runtime.
fn serve<S, C>(
    config: &ServeConfig<'_>,
    service: &S,
    incoming: Incoming<C>,
    stopping: &watch::Receiver<bool>,
) -> tokio::task::JoinHandle<()>
where
    S: Service<Request<Body>, Response = Response<Body>, Error = Infallible>,
    S: NamedService + Clone + Send + Sync + 'static,
    S::Future: Send,
    C: AsyncRead + AsyncWrite + Connected + Unpin + Send + 'static,
{
    let service = Metered { service: service.clone(), limits: config.messages };
    let mut server = tonic::transport::Server::builder()
        .max_concurrent_streams(Some(config.calls))
        .concurrency_limit_per_connection(config.calls as usize)
        .initial_stream_window_size(Some(WINDOW))
        .initial_connection_window_size(Some(WINDOW))
        .http2_keepalive_interval(Some(config.keep_alive.interval))
        .http2_keepalive_timeout(Some(config.keep_alive.timeout))
        .http2_max_header_list_size(Some(HEADERS));
    let mut stopping = stopping.clone();
    let stops = async move {
        let _sender_gone = stopping.wait_for(|stops| *stops).await;
    };
    let serving = server.add_service(service).serve_with_incoming_shutdown(incoming, stops);
    tokio::spawn(async move {
        let _closed = serving.await;
    })
}
