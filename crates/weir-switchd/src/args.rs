//! The command line.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use clap::{ArgGroup, Parser, ValueEnum};
use weir_device::Port;
use weir_ports::is_interface_name;
use weir_switch::{Rate, SwitchConfig};

use crate::of_queue::{self, OfQueue};

/// Run a P4 program as a switch between network interfaces
///
/// Each interface is a port of the switch. The switch receives every frame that arrives at its
/// interfaces; do not assign IP addresses to them. Needs the right to open packet sockets (root,
/// or CAP_NET_RAW and CAP_NET_ADMIN, or a user namespace).
#[derive(Clone, Debug, Parser)]
#[command(name = "weir-switchd", version, args_override_self = true)]
#[command(group = ArgGroup::new("servers").args(["p4runtime", "bfrt"]).multiple(true))]
pub struct Args {
    /// The P4_16 program, or p4c's JSON of a v1model program; without PROGRAM, a controller sends
    /// the program. `weir switch` also accepts the names router, l2_switch and delay_line, which
    /// stand for programs that come with Weir
    #[arg(required_unless_present_any = ["p4runtime", "config"])]
    pub program: Option<PathBuf>,
    /// A port of the switch and its interface, such as 1@veth1; repeat the option for each port. A
    /// kind may follow: 1@veth1,kind=socket (a system call for each batch, the default), kind=ring
    /// (frames in memory that the kernel shares), kind=direct (a ring, and small frames are sent
    /// through a BPF program; without root, queueing disciplines and captures do not see these
    /// frames), or kind=xdp (frames are received and sent through BPF programs, which takes the
    /// least processor time; needs root and one worker)
    #[arg(
        short,
        long,
        value_name = "PORT@INTERFACE",
        required_unless_present_any = ["p4runtime", "bfrt", "config"],
        value_parser = interface
    )]
    pub interface: Vec<Interface>,
    /// The initial entries, groups and sessions (runtime JSON of the public tutorials)
    #[arg(short, long, value_name = "FILE")]
    pub entries: Vec<PathBuf>,
    /// Search this folder for included files; repeat the option for more folders
    #[arg(short = 'I', long, value_name = "DIR")]
    pub include: Vec<PathBuf>,
    /// Define a macro for the preprocessor
    #[arg(short = 'D', long, value_name = "NAME[=VALUE]")]
    pub define: Vec<String>,
    /// Run several switches in this process. The JSON file lists the program, the interfaces and
    /// the options of each switch; options on the command line apply to all of them
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// The switch's name in log lines and metrics
    #[arg(long)]
    pub name: Option<String>,
    /// The executor of the program
    #[arg(long, value_enum, default_value_t = Executor::Native)]
    pub executor: Executor,
    /// The number of workers that forward frames. Each worker has its own sockets, and the kernel
    /// distributes flows over the workers. Frames of a flow stay in order, but fragmented UDP
    /// datagrams may overtake whole ones and vice versa
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=64))]
    pub workers: u16,
    /// The number of threads for the workers of all switches; a thread can run several workers
    /// [default: the number of processors, or of workers if that is less]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Poll for frames instead of sleeping until some arrive: less delay, but each thread keeps a
    /// processor busy
    #[arg(long)]
    pub poll: bool,
    /// Whether the program processes large TCP and UDP frames (GSO) uncut and with partial
    /// checksums
    #[arg(long, value_enum, default_value_t = GsoChoice::Auto)]
    pub gso: GsoChoice,
    /// Serve P4Runtime at IP:PORT (127.0.0.1:9559 without a value) or unix:PATH
    #[arg(long, value_name = "ADDRESS", num_args = 0..=1, default_missing_value = "127.0.0.1:9559")]
    pub p4runtime: Option<String>,
    /// Serve BfRt, the control protocol of Tofino switches, at IP:PORT (127.0.0.1:50052 without a
    /// value) or unix:PATH
    #[arg(long, value_name = "ADDRESS", num_args = 0..=1, default_missing_value = "127.0.0.1:50052")]
    pub bfrt: Option<String>,
    /// The switch's number for P4Runtime and BfRt  [default: 0]
    #[arg(long, value_name = "N", requires = "servers")]
    pub device_id: Option<u64>,
    /// A JSON file that maps strings to numbers, for types that controllers see as `string`:
    /// {"port_id_t": {"texts": {"Ethernet0": 1}}}
    #[arg(long, value_name = "FILE", requires = "p4runtime")]
    pub p4runtime_texts: Option<PathBuf>,
    /// A JSON file that gives clients rights by the names in their certificates: {"clients":
    /// [{"names": ["*.example.org"], "roles": [""], "devices": [0], "rights": ["read", "write",
    /// "pipeline", "packet-io", "primary"]}]}; needs --tls-clients
    #[arg(long, value_name = "FILE", requires_all = ["p4runtime", "tls_clients"])]
    pub p4runtime_roles: Option<PathBuf>,
    /// The maximum memory that a server uses for its controllers: for the messages that they send,
    /// and for answers and messages that they have not read yet
    #[arg(
        long,
        value_name = "MIB",
        default_value_t = 256,
        requires = "servers",
        value_parser = clap::value_parser!(u32).range(16..=1 << 20)
    )]
    pub p4runtime_memory: u32,
    /// The port of controllers: packets that the program sends to this port become P4Runtime
    /// packet-ins, and packet-outs arrive at this port
    #[arg(long, value_name = "PORT")]
    pub cpu_port: Option<Port>,
    /// The port number that drops packets [default: the largest number of a port in v1model, such
    /// as 511; none in other architectures]
    #[arg(long, value_name = "PORT")]
    pub drop_port: Option<Port>,
    /// The first port of the host in PNA programs; smaller numbers are ports of the network
    #[arg(long, value_name = "PORT", default_value_t = SwitchConfig::default().first_host_port)]
    pub first_host_port: Port,
    /// The times after which idle entries expire in PNA programs, by profile, in whole seconds; 0:
    /// never
    /// [default: 10,30,60,120,300,43200,120,120]
    #[arg(long, value_name = "SECONDS,...", value_delimiter = ',', value_parser = clap::value_parser!(u32))]
    pub expire_times: Option<Vec<u32>>,
    /// The number of egress queues of each port; the program chooses the queue through its
    /// metadata: standard_metadata.priority in v1model, class_of_service in PSA and PNA
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=8))]
    pub priority_queues: u8,
    /// The rate at which a port takes packets out of its queues: 10Mbit, or 1000pps (packets per
    /// second); 2=10Mbit for port 2 only, 2:7=10Mbit for port 2's queue of priority 7. Repeat the
    /// option for more ports. With a rate, large frames are cut, and one thread forwards all
    /// packets
    #[arg(long, value_name = "[PORT=]RATE", value_parser = of_queue::rate)]
    pub queue_rate: Vec<OfQueue<Option<Rate>>>,
    /// The queueing discipline of a port's queues, as tc writes it: "fq_codel target 5ms"; 2=codel
    /// for port 2 only, 2:7=codel for port 2's queue of priority 7. Repeat the option for more
    /// ports, and for the classes, filters and children of a discipline, as in --qdisc "2=handle 1:
    /// htb default 10" --qdisc "2=class add parent 1: classid 1:10 htb rate 5mbit". Needs
    /// --queue-rate, except for tbf and htb [default: first in, first out, up to 64 packets]
    #[arg(long, value_name = "[PORT=]DISCIPLINE", value_parser = of_queue::text)]
    pub qdisc: Vec<OfQueue<String>>,
    /// The server's certificate, followed by the certificates of its authorities, in PEM; needs
    /// --tls-key
    #[arg(long, value_name = "FILE", requires_all = ["tls_key", "servers"])]
    pub tls_certificate: Option<PathBuf>,
    /// The certificate's private key, in PEM
    #[arg(long, value_name = "FILE", requires = "tls_certificate")]
    pub tls_key: Option<PathBuf>,
    /// Accept only clients with a certificate from this authority, in PEM
    #[arg(long, value_name = "FILE", requires = "tls_certificate")]
    pub tls_clients: Option<PathBuf>,
    /// Allow P4Runtime and BfRt without TLS at addresses that other computers can reach
    #[arg(long, requires = "servers")]
    pub plaintext: bool,
    /// Write the frames that each port receives and sends to DIR/INTERFACE.pcapng
    #[arg(long, value_name = "DIR")]
    pub pcap: Option<PathBuf>,
    /// The format of the --pcap files; pcap has two files for each port, INTERFACE_in.pcap and
    /// INTERFACE_out.pcap
    #[arg(long, value_enum, default_value_t = PcapFormat::Pcapng, requires = "pcap")]
    pub pcap_format: PcapFormat,
    /// Serve metrics for Prometheus at http://IP:PORT/metrics
    #[arg(long, value_name = "IP:PORT", value_parser = address)]
    pub metrics: Option<SocketAddr>,
    /// Exit on SIGHUP instead of reading the files again
    #[arg(long)]
    pub end_at_hangup: bool,
    /// The format of log lines on standard error
    #[arg(long, value_enum, default_value_t = LogFormat::Text)]
    pub log_format: LogFormat,
    /// Log debug messages too
    #[arg(short, long)]
    pub verbose: bool,
    /// Log warnings and errors only
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,
}

/// A function that finds the file of a program by its name. The name is that of a file, or of a
/// program that the front end knows.
pub type Find<'a> = &'a dyn Fn(&Path) -> Result<PathBuf, String>;

/// A port and its interface.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interface {
    /// The number of the port in the program.
    pub port: Port,
    /// The interface's name.
    pub name: String,
    /// How frames arrive from the interface.
    pub kind: PortKind,
}

/// How frames arrive from an interface.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum PortKind {
    /// One system call for each batch
    #[default]
    Socket,
    /// A ring of frames in memory that the kernel shares
    Ring,
    /// Like ring, but small frames leave through a BPF program; without root, queueing disciplines
    /// and captures do not see these frames
    Direct,
    /// AF_XDP: a BPF program writes frames to shared memory before the kernel processes them
    Xdp,
}

/// The executor of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Executor {
    /// Machine code
    Native,
    /// The interpreter
    Interp,
}

/// The format of captures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PcapFormat {
    /// Both directions in one file
    Pcapng,
    /// A file for each direction
    Pcap,
}

/// Which frames the program processes before their offloads are done (GSO, partial checksums).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum GsoChoice {
    /// If the program cannot notice the difference
    #[default]
    Auto,
    /// Never
    Off,
    /// Always, with a warning if the program could notice the difference
    Force,
}

/// The format of log lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// Lines for people
    Text,
    /// One JSON object per line
    Json,
}

/// Reads a port and its interface from `PORT@INTERFACE`, with the kind of port if it is given.
fn interface(text: &str) -> Result<Interface, String> {
    let expected = "expected PORT@INTERFACE, such as 1@veth1";
    let (port, name) = text.split_once('@').ok_or(expected)?;
    let (name, kind) = match name.split_once(",kind=") {
        Some((name, kind)) => (name, PortKind::from_str(kind, false).map_err(|_| unknown_kind(kind))?),
        None => (name, PortKind::default()),
    };
    let port = port.parse().map_err(|_| format!("\"{port}\" is not a port number; {expected}"))?;
    if !is_interface_name(name) {
        return Err(format!("\"{name}\" is not an interface name; {expected}"));
    }
    Ok(Interface { port, name: name.to_owned(), kind })
}

/// Reads an address and port from `IP:PORT`.
fn address(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| "expected IP:PORT, such as 127.0.0.1:9100".to_owned())
}

fn unknown_kind(kind: &str) -> String {
    let kinds: Vec<_> = PortKind::value_variants().iter().filter_map(ValueEnum::to_possible_value).collect();
    let names: Vec<_> = kinds.iter().map(|value| value.get_name()).collect();
    format!("\"{kind}\" is not a kind of port; expected kind={}", names.join(", kind="))
}

impl Args {
    /// Returns the switch's number for P4Runtime.
    pub fn device_id(&self) -> u64 {
        self.device_id.unwrap_or(0)
    }

    /// Checks the options together.
    ///
    /// # Errors
    /// Two options contradict each other.
    pub fn check(&self) -> Result<(), String> {
        if self.bfrt.is_some() && self.program.is_none() {
            return Err("--bfrt needs a program, whose tables clients find when they connect".to_owned());
        }
        if let Some(cpu) = self.cpu_port
            && let Some(one) = self.interface.iter().find(|one| one.port == cpu)
        {
            let name = &one.name;
            return Err(format!("port {cpu} has the interface {name}; choose another with --cpu-port"));
        }
        for (index, one) in self.interface.iter().enumerate() {
            for other in &self.interface[..index] {
                if one.port == other.port {
                    return Err(format!(
                        "port {} has two interfaces: {} and {}",
                        one.port, other.name, one.name
                    ));
                }
                if one.name == other.name {
                    return Err(format!("{} is two ports: {} and {}", one.name, other.port, one.port));
                }
            }
            if one.kind == PortKind::Xdp && self.workers > 1 {
                return Err(format!(
                    "{} has kind=xdp, which works with one worker; use kind=ring with --workers {}",
                    one.name, self.workers
                ));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Args, String> {
        Args::try_parse_from(line.split_whitespace()).map_err(|error| error.to_string())
    }

    #[test]
    fn interfaces_are_ports() {
        let args = parse("weir-switchd x.p4 -i 1@veth1 -i 300@eth0.5,kind=ring --p4runtime").unwrap();
        let ports: Vec<_> = args.interface.iter().map(|one| (one.port, one.name.as_str())).collect();
        assert_eq!(ports, [(1, "veth1"), (300, "eth0.5")]);
        assert_eq!(
            args.interface.iter().map(|one| one.kind).collect::<Vec<_>>(),
            [PortKind::Socket, PortKind::Ring]
        );
        assert_eq!(args.p4runtime.as_deref(), Some("127.0.0.1:9559"));
        assert!(args.check().is_ok());
    }

    #[test]
    fn contradictions_are_named() {
        for (line, expected) in [
            ("w x.p4 -i 1@a -i 1@b", "port 1 has two interfaces: a and b"),
            ("w x.p4 -i 1@a -i 2@a", "a is two ports: 1 and 2"),
            ("w x.p4 -i 1@a --cpu-port 1", "port 1 has the interface a; choose another with --cpu-port"),
            ("w x.p4 -i 1@a,kind=xdp --workers 2", "a has kind=xdp, which works with one worker"),
            ("w --p4runtime --bfrt", "--bfrt needs a program"),
        ] {
            let error = parse(line).unwrap().check().unwrap_err();
            assert!(error.starts_with(expected), "{error}");
        }
        for (line, expected) in [
            ("w x.p4", "--interface"),
            ("w -i 1@a", "<PROGRAM>"),
            ("w x.p4 -i 1", "expected PORT@INTERFACE"),
            ("w x.p4 -i 1@a/b", "is not an interface name"),
            ("w x.p4 -i 1@a,kind=rng", "\"rng\" is not a kind of port; expected kind=socket, kind=ring"),
            ("w x.p4 -i 1@a --workers 0", "1..=64"),
            ("w x.p4 -i 1@a --queue-rate 1=fast", "a rate in packets per second"),
            ("w x.p4 -i 1@a --queue-rate 1:9=5pps", "a priority 9 is out of range: expected 0 to 7"),
            ("w x.p4 -i 1@a --metrics 9100", "expected IP:PORT, such as 127.0.0.1:9100"),
            ("w x.p4 -i 1@a --tls-key k", "--tls-certificate"),
            ("w x.p4 -i 1@a --tls-key k --tls-certificate c", "--p4runtime"),
            ("w x.p4 -i 1@a --device-id 7", "--p4runtime"),
            ("w x.p4 -i 1@a --p4runtime --p4runtime-roles r.json", "--tls-clients"),
            ("w x.p4 -i 1@a --plaintext", "--p4runtime"),
            ("w --bfrt", "<PROGRAM>"),
        ] {
            let error = parse(line).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
    }
}
