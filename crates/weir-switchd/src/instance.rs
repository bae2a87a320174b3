//! A switch of the service, with its files and its ports.

use std::io::ErrorKind;
use std::sync::Arc;

use weir_device::Port;
use weir_p4runtime::Texts;
use weir_ports::packet_socket::{self, Settings};
use weir_ports::xdp::{self, Mode};
use weir_ports::{Fanout, PortError};

use crate::args::{Args, Interface, PortKind};
use crate::capture::Captures;
use crate::files;
use crate::plane::{Outputs, Plane, SendingPort, WorkerPorts, WorkerSpec, warn_of_claim};
use crate::program::{Compiled, Files, warn_of_lost_copies};

/// A switch of the service.
pub struct Instance {
    /// The options.
    pub args: Args,
    /// The switch.
    pub plane: Arc<Plane>,
    /// The captures.
    pub captures: Arc<Captures>,
    /// The contents of the switch's files when they were last read.
    pub files: Files,
}

impl Instance {
    /// Reads the files of a switch and creates the switch.
    ///
    /// # Errors
    /// A file cannot be read or written, or has a mistake; the error says what is wrong, and where.
    pub fn new(args: Args, compiled: &mut Compiled) -> Result<Self, String> {
        for folder in args.include.iter().filter(|folder| !folder.is_dir()) {
            let problem = if folder.exists() { "is not a folder" } else { "there is no such folder" };
            tracing::warn!(switch = args.name, "-I {}: {problem}", folder.display());
        }
        let files = Files::read(&args, None, compiled)?;
        for warning in &files.warnings {
            tracing::warn!(switch = args.name, "{warning}");
        }
        let mut switch = files.switch(&args)?;
        warn_of_lost_copies(args.name.as_deref(), &mut switch);
        let named: Vec<(Port, String)> =
            args.interface.iter().map(|interface| (interface.port, interface.name.clone())).collect();
        let captures = match &args.pcap {
            Some(folder) => Captures::create(folder, args.pcap_format, &named)?,
            None => Captures::default(),
        };
        let plane = Plane::new(args.name.clone(), switch, args.cpu_port, args.device_id())
            .map_err(|error| error.to_string())?;
        let _fresh = plane.gso.set(args.gso);
        if let Some(path) = &args.p4runtime_texts {
            let texts = Texts::read(&path.display().to_string(), &files::read(path)?);
            let _fresh = plane.texts.set(texts.map_err(|mistake| mistake.to_string())?);
        }
        Ok(Self { args, plane, captures: Arc::new(captures), files })
    }

    /// Opens all ports once for each worker, and returns what each worker needs to start.
    ///
    /// # Errors
    /// A port cannot be opened; the error says which one, why, and what may help.
    pub fn open_worker_ports(&self) -> Result<Vec<WorkerSpec>, String> {
        let Self { args, plane, captures, .. } = self;
        // The kernel distributes the frames of an interface over all workers.
        let fanouts: Vec<Fanout> = args.interface.iter().map(|_| Fanout::default()).collect();
        let spec = |number| {
            let (plane, captures) = (Arc::clone(plane), Arc::clone(captures));
            open(args, &fanouts, &plane, &captures).map(|ports| WorkerSpec { plane, captures, number, ports })
        };
        (0..usize::from(args.workers)).map(spec).collect()
    }
}

/// Opens all ports for one worker.
fn open(
    args: &Args,
    fanouts: &[Fanout],
    plane: &Arc<Plane>,
    captures: &Arc<Captures>,
) -> Result<WorkerPorts, String> {
    let (mut receiving, mut links, mut sending) = (Vec::new(), Vec::new(), Vec::new());
    for (interface, fanout) in args.interface.iter().zip(fanouts) {
        let mut port =
            open_port(args, interface, fanout).map_err(|error| explain_port_error(interface, &error))?;
        warn_of_claim(&mut *port.link, args.name.as_deref());
        receiving.push((interface.port, port.receive));
        links.push((interface.port, port.link));
        sending.push(SendingPort::new(interface.port, port.transmit));
    }
    let outputs = Outputs::new(Arc::clone(plane), Arc::clone(captures), sending);
    Ok(WorkerPorts { receiving, links, outputs })
}

/// Opens an interface for one worker.
fn open_port(args: &Args, interface: &Interface, fanout: &Fanout) -> Result<weir_ports::Port, PortError> {
    if interface.kind == PortKind::Xdp {
        let (port, mode) = xdp::open(&interface.name, None)?;
        let (switch, name) = (&args.name, &interface.name);
        match mode {
            Mode::Native => tracing::info!(switch, "{name} receives over AF_XDP from its driver"),
            Mode::Generic => {
                tracing::warn!(
                    switch,
                    "{name} receives over AF_XDP from the kernel: its driver runs no programs"
                );
            }
        }
        return Ok(port);
    }
    let ring = matches!(interface.kind, PortKind::Ring | PortKind::Direct);
    let direct = interface.kind == PortKind::Direct;
    let settings = Settings { ring, direct, ..Settings::default() };
    match args.workers {
        1 => packet_socket::open(&interface.name, settings),
        _ => packet_socket::open_shared(&interface.name, settings, fanout),
    }
}

/// Explains an error of a port, and what may help.
fn explain_port_error(interface: &Interface, error: &PortError) -> String {
    let help = match error {
        PortError::System { source, .. } => match source.kind() {
            ErrorKind::PermissionDenied if interface.kind == PortKind::Xdp => {
                "; kind=xdp needs root on the host (CAP_BPF, CAP_NET_ADMIN, CAP_NET_RAW); root in a user \
                 namespace is not enough, use kind=direct there"
            }
            ErrorKind::ResourceBusy | ErrorKind::AlreadyExists if interface.kind == PortKind::Xdp => {
                "; the interface has another XDP program, which `ip link` shows; remove it or use kind=ring"
            }
            _ if interface.kind == PortKind::Xdp && source.raw_os_error() == Some(ERANGE) => {
                "; the MTU of the interface, or of the other end of the veth pair, is too long for XDP: set \
                 it to 1500, or use kind=ring"
            }
            ErrorKind::PermissionDenied => {
                "; run it as root, give it CAP_NET_RAW and CAP_NET_ADMIN, or start it in a user namespace \
                 (unshare -Urn)"
            }
            _ => "",
        },
        _ => "",
    };
    format!("{error}{help}")
}

/// The number of the error `ERANGE`.
const ERANGE: i32 = 34;
