//! From the start of a switch to its end.

use std::io::{ErrorKind, IsTerminal};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use sd_notify::NotifyState;
use tokio::signal::unix::{SignalKind, signal};
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use weir_device::Port;
use weir_p4runtime::{Folders, Server, ServerConfig, TlsConfig};
use weir_ports::PortError;
use weir_ports::packet_socket::{self, Fanout, FanoutMode, Settings};

use crate::args::{Args, LogFormat, PortKind};
use crate::capture::Captures;
use crate::control::Owner;
use crate::metrics;
use crate::plane::{Outputs, Plane, Sending, WorkerPorts, Workers};
use crate::program::{self, Files};
use crate::reload::reload;

/// Writes log lines to standard error from now on.
pub fn start_logging(args: &Args) {
    let level = match (args.verbose, args.quiet) {
        (true, _) => LevelFilter::DEBUG,
        (false, true) => LevelFilter::WARN,
        (false, false) => LevelFilter::INFO,
    };
    // Libraries tell much at these levels that helps nobody here.
    let levels = Targets::new().with_default(LevelFilter::WARN).with_target("weir_switchd", level);
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .with_target(false);
    let registry = tracing_subscriber::registry().with(levels);
    // It fails if a program that uses this crate has started to log already.
    let _ = match args.log_format {
        LogFormat::Text => registry.with(lines).try_init(),
        LogFormat::Json => registry.with(lines.json()).try_init(),
    };
}

/// Runs a switch until SIGINT or SIGTERM. Calls `started` when it forwards.
///
/// # Errors
/// It cannot start, or `started` fails, or a worker has ended; why.
pub fn serve(args: &Args, started: impl FnOnce(&Arc<Plane>) -> Result<(), String>) -> Result<(), String> {
    args.check()?;
    let files = Files::read(args, None)?;
    for warning in &files.warnings {
        tracing::warn!("{warning}");
    }
    let switch = files.switch(args)?;
    let named: Vec<(Port, String)> =
        args.interface.iter().map(|interface| (interface.port, interface.name.clone())).collect();
    let captures = match &args.pcap {
        Some(folder) => Captures::create(folder, args.pcap_format, &named)?,
        None => Captures::default(),
    };
    let captures = Arc::new(captures);
    let plane = Plane::new(switch, args.cpu_port, args.device_id).map_err(|error| error.to_string())?;
    let _fresh = plane.gso.set(args.gso);
    let ports =
        (0..args.workers).map(|_| open(args, &plane, &captures)).collect::<Result<Vec<_>, String>>()?;
    if let Some(address) = &args.p4runtime {
        let server = start_p4runtime(args, address, &plane)?;
        for address in server.addresses() {
            tracing::info!(%address, device = args.device_id, "serving P4Runtime");
        }
        plane.serve(server);
    }
    let workers = Workers::start(&plane, &captures, ports).map_err(|error| error.to_string())?;
    for (port, interface) in &named {
        tracing::info!(port, interface, "forwarding");
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let ended = started(&plane).and_then(|()| {
        runtime.map_err(|error| error.to_string())?.block_on(wait(args, &plane, files, &workers))
    });
    let _no_supervisor = sd_notify::notify(&[NotifyState::Stopping]);
    plane.stop_serving();
    plane.stop();
    workers.join();
    ended
}

/// Sockets for one worker.
fn open(args: &Args, plane: &Arc<Plane>, captures: &Arc<Captures>) -> Result<WorkerPorts, String> {
    let (mut receiving, mut links, mut sending) = (Vec::new(), Vec::new(), Vec::new());
    for (index, interface) in args.interface.iter().enumerate() {
        // All workers of this process share the frames of an interface. Other processes have other
        // groups: these factors spread the numbers.
        let group = (std::process::id() as u16).wrapping_mul(7919).wrapping_add(index as u16 * 257);
        let fanout = (args.workers > 1).then_some(Fanout { group, mode: FanoutMode::Flow });
        let ring = interface.kind != PortKind::Socket;
        let direct = interface.kind == PortKind::Direct;
        let settings = Settings { fanout, ring, direct, ..Settings::default() };
        let opened = packet_socket::open(&interface.name, settings).or_else(|error| {
            let without = Settings { ring: false, ..settings };
            let tries_again = interface.kind == PortKind::Auto && lacks_memory(&error);
            if tries_again { packet_socket::open(&interface.name, without) } else { Err(error) }
        });
        let port = opened.map_err(|error| explained(&error))?;
        receiving.push((interface.port, port.receive));
        links.push((interface.port, port.link));
        sending.push(Sending::new(interface.port, port.transmit));
    }
    let outputs = Outputs::new(Arc::clone(plane), Arc::clone(captures), sending);
    Ok(WorkerPorts { receiving, links, outputs })
}

/// What went wrong with a port, and what may help.
fn explained(error: &PortError) -> String {
    let help = match error {
        PortError::System { source, .. } => match source.kind() {
            ErrorKind::PermissionDenied => {
                "; run it as root, give it CAP_NET_RAW and CAP_NET_ADMIN, or start it in a user namespace \
                 (unshare -Urn)"
            }
            _ if source.raw_os_error() == Some(NO_SUCH_DEVICE) => {
                "; `ip link` shows the interfaces that exist"
            }
            _ => "",
        },
        _ => "",
    };
    format!("{error}{help}")
}

/// Whether the kernel has no memory for a port.
fn lacks_memory(error: &PortError) -> bool {
    matches!(error, PortError::System { source, .. } if source.kind() == ErrorKind::OutOfMemory)
}

/// `ENODEV`.
const NO_SUCH_DEVICE: i32 = 19;

fn start_p4runtime(args: &Args, address: &str, plane: &Arc<Plane>) -> Result<Server, String> {
    let choice = args.executor;
    let make = move |program| program::executor(program, choice).map(|(executor, _)| executor);
    let mut config = ServerConfig::new(make, Folders(args.include.clone()));
    config.listen = vec![address.parse()?];
    config.plaintext_beyond_loopback = args.plaintext;
    let read = |path: &PathBuf| std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()));
    if let (Some(certificate), Some(key)) = (&args.tls_certificate, &args.tls_key) {
        let client_authority = args.tls_clients.as_ref().map(read).transpose()?;
        config.tls = Some(TlsConfig { certificate: read(certificate)?, key: read(key)?, client_authority });
    }
    let owner = Arc::new(Owner(Arc::clone(plane)));
    Server::start(config, vec![(args.device_id, owner)]).map_err(|error| error.to_string())
}

/// How often the service looks whether its workers live.
const LOOK: Duration = Duration::from_millis(200);

/// Waits for a signal to end, or for the end of a worker, which none should have. Other signals
/// ask to reload.
async fn wait(args: &Args, plane: &Arc<Plane>, files: Files, workers: &Workers) -> Result<(), String> {
    let listen = |kind| signal(kind).map_err(|error| error.to_string());
    let (mut interrupted, mut terminated, mut hung_up) =
        (listen(SignalKind::interrupt())?, listen(SignalKind::terminate())?, listen(SignalKind::hangup())?);
    if let Some(address) = args.metrics {
        metrics::serve(address, Arc::clone(plane)).await?;
    }
    let (files, args) = (Arc::new(Mutex::new(files)), Arc::new(args.clone()));
    tracing::info!("ready");
    let _no_supervisor = sd_notify::notify(&[NotifyState::Ready]);
    let mut reloading = None;
    loop {
        tokio::select! {
            _ = interrupted.recv() => return Ok(()),
            _ = terminated.recv() => return Ok(()),
            // One reload at a time: the signals that come meanwhile ask for one more.
            _ = hung_up.recv(), if reloading.is_none() => {
                if args.end_at_hangup {
                    return Ok(());
                }
                let (args, plane, files) = (Arc::clone(&args), Arc::clone(plane), Arc::clone(&files));
                reloading = Some(tokio::task::spawn_blocking(move || {
                    announce_reload();
                    let mut files = files.lock().unwrap_or_else(PoisonError::into_inner);
                    reload(&args, &plane, &mut files)
                }));
            }
            () = tokio::time::sleep(LOOK) => {}
        }
        if let Some(ended) = reloading.take_if(|reloading| reloading.is_finished()) {
            let status = match ended.await {
                Ok(true) => "reloaded",
                Ok(false) => "the last reload failed; see the log",
                Err(panic) => return Err(format!("the reload has failed: {panic}")),
            };
            let _no_supervisor = sd_notify::notify(&[NotifyState::Ready, NotifyState::Status(status)]);
        }
        if let Ok(end) = workers.ended.try_recv() {
            let why = end.err().unwrap_or_else(|| "it ended by itself".to_owned());
            return Err(format!("a worker has stopped: {why}"));
        }
        let _no_supervisor = sd_notify::notify(&[NotifyState::Watchdog]);
    }
}

/// Says that the files are read again, as systemd's `Type=notify-reload` expects it.
fn announce_reload() {
    tracing::info!("reloading the files");
    let since = NotifyState::monotonic_usec_now().into_iter();
    let states: Vec<_> = std::iter::once(NotifyState::Reloading).chain(since).collect();
    let _no_supervisor = sd_notify::notify(&states);
}
