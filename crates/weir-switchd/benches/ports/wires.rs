//! Interfaces in a network namespace.

use std::os::unix::process::CommandExt;
use std::process::Command;

const INSIDE: &str = "WEIR_BENCH_IN_NAMESPACE";

/// Starts this program again in a new network namespace, and runs `body` there.
pub fn in_namespace(arguments: &[String], body: impl FnOnce()) {
    if std::env::var_os(INSIDE).is_some() {
        return body();
    }
    let own = std::fs::read_to_string("/proc/self/uid_map").unwrap_or_default();
    // A process with root's rights on the whole system keeps them, because AF_XDP needs them.
    let is_root = own.split_whitespace().collect::<Vec<_>>() == ["0", "0", "4294967295"]
        && run("unshare", &["--net", "true"]);
    let mut command = Command::new("unshare");
    command.args(["--net", "--mount"]);
    if !is_root {
        command.args(["--user", "--map-root-user"]);
    }
    let this = std::env::current_exe().expect("this program has a path");
    let error = command.arg(this).args(arguments).env(INSIDE, "1").exec();
    eprintln!("no network namespace: {error}");
    std::process::exit(1);
}

fn run(program: &str, arguments: &[&str]) -> bool {
    Command::new(program)
        .args(arguments)
        .stderr(std::process::Stdio::null())
        .status()
        .is_ok_and(|s| s.success())
}

/// Runs `ip`.
pub fn ip(arguments: &str) {
    let words: Vec<&str> = arguments.split_whitespace().collect();
    let status = Command::new("ip").args(&words).status().expect("ip(8) is installed");
    assert!(status.success(), "ip {arguments}");
}

/// Creates a veth pair on which the kernel sends nothing by itself.
pub fn pair(left: &str, right: &str) {
    ip(&format!("link add {left} type veth peer name {right}"));
    for end in [left, right] {
        ip(&format!("link set {end} addrgenmode none up"));
    }
}

/// Returns the number of frames that an interface has received.
pub fn received(interface: &str) -> u64 {
    let text = std::fs::read_to_string("/proc/self/net/dev").expect("the kernel counts frames");
    let frames_of = |line: &str| {
        let rest = line.trim_start().strip_prefix(interface)?.strip_prefix(':')?;
        rest.split_whitespace().nth(1)?.parse().ok()
    };
    text.lines().find_map(frames_of).expect("the interface exists")
}

/// Returns the load of the machine.
pub fn load() -> String {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').next().unwrap_or("unknown").to_owned()
}

/// Returns the median, of at least one value.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
