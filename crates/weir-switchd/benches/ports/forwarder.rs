//! Programs that move frames between two interfaces. Each runs in its own process.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, Stdio};
use std::time::Duration;

use crate::copy_loop::set_running;

/// A program that moves frames between two interfaces.
#[derive(Clone, Debug)]
pub enum Kind {
    /// The hand-written loop, with or without virtio-net headers.
    CopyLoop { vnet: bool },
    /// A build of `weir-switchd`, with this kind of port and possibly this option.
    Weir { program: PathBuf, kind: &'static str, option: Option<&'static str>, name: String },
    /// p4lang's switch, and its JSON program.
    SimpleSwitch { program: PathBuf, json: PathBuf },
}

/// A running forwarder; its process ends when this value is dropped.
pub struct Forwarder {
    process: Child,
    /// The log of the process. It stays open as long as the process runs, so that the process can
    /// write to it.
    _log: Option<BufReader<ChildStderr>>,
}

/// Returns our P4 program.
pub fn router() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/benches/ports/router.p4"))
}

/// Returns `weir-switchd` with each kind of port, in this build and in the build that the variable
/// `OTHER` names.
pub fn ports() -> Vec<Kind> {
    let own = ("weir-switchd", build_directory());
    let other = std::env::var_os("OTHER").map(|path| ("other build", PathBuf::from(path)));
    let builds: Vec<_> = std::iter::once(own).chain(other).collect();
    let with_kind = |kind| {
        let weir = move |(name, program): &(&str, PathBuf)| Kind::Weir {
            program: program.clone(),
            kind,
            option: None,
            name: format!("{name}, kind={kind}"),
        };
        builds.iter().map(weir)
    };
    ["xdp", "direct", "ring", "socket"].into_iter().flat_map(with_kind).collect()
}

/// Returns `weir-switchd` that never sleeps.
pub fn polling() -> Kind {
    let name = "weir-switchd --poll, kind=socket".to_owned();
    Kind::Weir { program: build_directory(), kind: "socket", option: Some("--poll"), name }
}

fn build_directory() -> PathBuf {
    PathBuf::from(env!("CARGO_BIN_EXE_weir-switchd"))
}

impl Kind {
    /// The name of p4lang's switch in the output.
    pub const SIMPLE_SWITCH: &str = "simple_switch";

    /// Returns p4lang's switch with our program, if it is installed.
    pub fn simple_switch() -> Option<Self> {
        let program = find_program("SIMPLE_SWITCH", "simple_switch");
        let compiler = find_program("P4C", "p4c-bm2-ss");
        let (Some(program), Some(compiler)) = (program, compiler) else {
            println!("  simple_switch or p4c-bm2-ss is not installed");
            return None;
        };
        let json = std::env::temp_dir().join(format!("weir-ports-{}.json", std::process::id()));
        let status = Command::new(&compiler).arg(router()).arg("-o").arg(&json).status();
        let compiled = status.is_ok_and(|status| status.success());
        assert!(compiled, "{} does not compile the program", compiler.display());
        Some(Self::SimpleSwitch { program, json })
    }

    /// Returns the forwarder's name in the output.
    pub fn name(&self) -> &str {
        match self {
            Self::CopyLoop { vnet: false } => "copy loop: recvmmsg, sendmmsg",
            Self::CopyLoop { vnet: true } => "copy loop with virtio-net headers",
            Self::Weir { name, .. } => name,
            Self::SimpleSwitch { .. } => Self::SIMPLE_SWITCH,
        }
    }

    /// Returns the number of frames that the forwarder can receive while it is stopped.
    pub fn receive_capacity(&self) -> usize {
        match self {
            // libpcap's ring has 2 MB, divided into slots for the longest frame.
            Self::SimpleSwitch { .. } => 32,
            _ => usize::MAX,
        }
    }

    /// Starts the forwarder between two interfaces, which are its ports 1 and 2. Returns `None` if
    /// it does not start.
    pub fn start(&self, left: &str, right: &str) -> Option<Forwarder> {
        let this = std::env::current_exe().expect("this program has a path");
        let mut command = match self {
            Self::CopyLoop { vnet } => {
                let mut command = Command::new(this);
                command.args([if *vnet { "copy-vnet" } else { "copy" }, left, right]);
                command
            }
            Self::Weir { program, kind, option, .. } => {
                let mut command = Command::new(program);
                command.arg(router()).args(*option);
                for (port, interface) in [(1, left), (2, right)] {
                    command.args(["-i", &format!("{port}@{interface},kind={kind}")]);
                }
                command.stderr(Stdio::piped());
                command
            }
            Self::SimpleSwitch { program, json } => {
                let mut command = Command::new(program);
                command.args(["-i", &format!("1@{left}"), "-i", &format!("2@{right}"), "--log-level", "off"]);
                command.arg(json).stdout(Stdio::null()).stderr(Stdio::null());
                command
            }
        };
        let mut process = command.spawn().expect("the program starts");
        let log = process.stderr.take().map(BufReader::new);
        let mut forwarder = Forwarder { process, _log: None };
        match log {
            // The forwarder reports when it is ready.
            Some(mut log) => {
                let mut said = String::new();
                while !said.contains(" ready") {
                    let before = said.len();
                    if log.read_line(&mut said).is_err() || said.len() == before {
                        println!("  {}: {}", self.name(), said.trim());
                        return None;
                    }
                }
                forwarder._log = Some(log);
            }
            None => std::thread::sleep(Duration::from_millis(500)),
        }
        Some(forwarder)
    }
}

/// Returns a program that a variable names, or that is on PATH.
fn find_program(variable: &str, name: &str) -> Option<PathBuf> {
    let named = std::env::var_os(variable).map(PathBuf::from);
    let folders = std::env::var_os("PATH").unwrap_or_default();
    named.or_else(|| {
        std::env::split_paths(&folders).map(|folder| folder.join(name)).find(|path| path.is_file())
    })
}

impl Forwarder {
    /// Stops the forwarder, or lets it continue.
    pub fn set_running(&self, runs: bool) {
        set_running(self.process.id(), runs);
    }

    /// Returns the processor time of all threads of the forwarder so far, in nanoseconds.
    pub fn processor_time(&self) -> f64 {
        let threads = std::fs::read_dir(format!("/proc/{}/task", self.process.id())).expect("it runs");
        let ns_of = |path: PathBuf| {
            let text = std::fs::read_to_string(path.join("schedstat")).ok()?;
            text.split(' ').next()?.parse::<f64>().ok()
        };
        threads.filter_map(|thread| ns_of(thread.ok()?.path())).sum()
    }
}

impl Drop for Forwarder {
    fn drop(&mut self) {
        let _ended_already = self.process.kill();
        let _ = self.process.wait();
    }
}
