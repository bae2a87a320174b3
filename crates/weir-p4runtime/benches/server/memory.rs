//! Measures the memory of an idle server.

use std::time::Duration;

use crate::load;
use crate::owner::serve;
use crate::peer::{self, Peer};
use crate::writes::{connect, runtime};

/// The number of controllers that are connected and idle.
const CONTROLLERS: usize = 10;

/// Returns the resident memory of this process in MB, where the system provides it.
fn resident() -> f64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<f64>().ok());
    kilobytes.unwrap_or(f64::NAN) * 1024.0 / 1e6
}

/// Prints the memory of a process with a switch, with a server for it, with connected controllers,
/// and after they have left.
pub fn process() {
    let switch = load::switch();
    let alone = resident();
    let (_owner, _server, address) = serve(switch);
    let rest = || std::thread::sleep(Duration::from_millis(500));
    rest();
    let idle = resident();
    let mut clients: Vec<Peer> =
        (0..CONTROLLERS).map(|id| Peer::start(&["wait", &address.to_string(), &id.to_string()])).collect();
    clients.iter_mut().for_each(|client| drop(client.numbers()));
    rest();
    let connected = resident();
    drop(clients);
    rest();
    peer::print([alone, idle, connected, resident()]);
}

/// Connects as a controller, and stays idle until its standard input ends.
pub fn client(address: &str, election_id: u64) {
    runtime().block_on(async {
        let primary = connect(address, election_id).await;
        peer::print([1.0]);
        let _closed = tokio::task::spawn_blocking(|| std::io::stdin().lines().count()).await;
        drop(primary);
    });
}

/// Measures the memory in a new process, and prints the figures.
pub fn report() {
    let numbers = Peer::start(&["memory"]).numbers();
    let [alone, idle, connected, after] = numbers[..] else { unreachable!("it answers four numbers") };
    println!("resident memory: {alone:.1} MB with a switch; beyond that, in MB:");
    println!("  {:4.1} with its idle server", idle - alone);
    println!("  {:4.1} with {CONTROLLERS} controllers in other processes", connected - alone);
    println!("  {:4.1} after they have gone", after - alone);
}
