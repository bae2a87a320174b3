//! A switch of the service, with its files and its ports.

use std::io::ErrorKind;
use std::sync::Arc;

use weir_device::Port;
use weir_ports::packet_socket::{self, Fanout, FanoutMode, Settings};
use weir_ports::xdp::{self, Mode};
use weir_ports::{Claim, PortError};

use crate::args::{Args, Interface, PortKind};
use crate::capture::Captures;
use crate::plane::{Duty, Outputs, Plane, Sending, WorkerPorts};
use crate::program::{Compiled, Files};

/// A switch of the service.
pub struct Instance {
    /// Its options.
    pub args: Args,
    /// The switch.
    pub plane: Arc<Plane>,
    /// Its captures.
    pub captures: Arc<Captures>,
    /// What its files said when they were read last.
    pub files: Files,
    _claims: Vec<Claim>,
}

impl Instance {
    /// Reads the files of a switch and makes it.
    ///
    /// # Errors
    /// A file cannot be read or written, or something in it is wrong: what, and where.
    pub fn new(args: Args, compiled: &mut Compiled) -> Result<Self, String> {
        let files = Files::read(&args, None, compiled)?;
        for warning in &files.warnings {
            tracing::warn!(switch = args.name, "{warning}");
        }
        let switch = files.switch(&args)?;
        let named: Vec<(Port, String)> =
            args.interface.iter().map(|interface| (interface.port, interface.name.clone())).collect();
        let captures = match &args.pcap {
            Some(folder) => Captures::create(folder, args.pcap_format, &named)?,
            None => Captures::default(),
        };
        let plane = Plane::new(args.name.clone(), switch, args.cpu_port, args.device_id)
            .map_err(|error| error.to_string())?;
        let _fresh = plane.gso.set(args.gso);
        let claim = |interface: &Interface| {
            let claim = Claim::new(&interface.name);
            claim.inspect_err(|already| tracing::warn!(switch = args.name, "{already}")).ok()
        };
        let _claims = args.interface.iter().filter_map(claim).collect();
        Ok(Self { args, plane, captures: Arc::new(captures), files, _claims })
    }

    /// Opens the ports, once for each worker. The process has this many interfaces before those of
    /// this switch.
    ///
    /// # Errors
    /// A port cannot be opened: which one, why, and what may help.
    pub fn duties(&self, before: usize) -> Result<Vec<Duty>, String> {
        let Self { args, plane, captures, .. } = self;
        let duty = |number| {
            let (plane, captures) = (Arc::clone(plane), Arc::clone(captures));
            open(args, before, &plane, &captures).map(|ports| Duty { plane, captures, number, ports })
        };
        (0..usize::from(args.workers)).map(duty).collect()
    }
}

/// Sockets for one worker. The process has this many interfaces before those of this switch.
fn open(
    args: &Args,
    before: usize,
    plane: &Arc<Plane>,
    captures: &Arc<Captures>,
) -> Result<WorkerPorts, String> {
    let (mut receiving, mut links, mut sending) = (Vec::new(), Vec::new(), Vec::new());
    for (index, interface) in args.interface.iter().enumerate() {
        let port =
            open_port(args, interface, before + index).map_err(|error| explained(interface, &error))?;
        receiving.push((interface.port, port.receive));
        links.push((interface.port, port.link));
        sending.push(Sending::new(interface.port, port.transmit));
    }
    let outputs = Outputs::new(Arc::clone(plane), Arc::clone(captures), sending);
    Ok(WorkerPorts { receiving, links, outputs })
}

/// Opens an interface, which has this number in the process, for one worker.
fn open_port(args: &Args, interface: &Interface, number: usize) -> Result<weir_ports::Port, PortError> {
    if interface.kind == PortKind::Xdp {
        let (port, mode) = xdp::open(&interface.name, None)?;
        let (switch, name) = (&args.name, &interface.name);
        match mode {
            Mode::Native => tracing::info!(switch, "{name} receives by AF_XDP from its driver"),
            Mode::Generic => {
                tracing::warn!(
                    switch,
                    "{name} receives by AF_XDP from the kernel: its driver runs no programs"
                );
            }
        }
        return Ok(port);
    }
    // All workers of this process share the frames of an interface. Other processes have other groups:
    // these factors spread the numbers.
    let group = (std::process::id() as u16).wrapping_mul(7919).wrapping_add(number as u16 * 257);
    let fanout = (args.workers > 1).then_some(Fanout { group, mode: FanoutMode::Flow });
    let ring = matches!(interface.kind, PortKind::Ring | PortKind::Direct);
    let direct = interface.kind == PortKind::Direct;
    packet_socket::open(&interface.name, Settings { fanout, ring, direct, ..Settings::default() })
}

/// What went wrong with a port, and what may help.
fn explained(interface: &Interface, error: &PortError) -> String {
    let help = match error {
        PortError::System { source, .. } => match source.kind() {
            ErrorKind::PermissionDenied if interface.kind == PortKind::Xdp => {
                "; kind=xdp needs root on the host (CAP_BPF, CAP_NET_ADMIN, CAP_NET_RAW); root in a user \
                 namespace is not enough, use kind=direct there"
            }
            ErrorKind::ResourceBusy | ErrorKind::AlreadyExists if interface.kind == PortKind::Xdp => {
                "; the interface has another XDP program, which `ip link` shows; remove it or use kind=ring"
            }
            _ if interface.kind == PortKind::Xdp && source.raw_os_error() == Some(TOO_LONG) => {
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

/// `ERANGE`.
const TOO_LONG: i32 = 34;
