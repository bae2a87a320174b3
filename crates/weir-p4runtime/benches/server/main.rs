//! Measures the server over loopback TCP: the time to write a million entries in batches of 1000,
//! the cost of packets while a controller writes 100 000 entries per second, and the memory of an
//! idle server.
//!
//! `cargo bench -p weir-p4runtime --bench server [-- ENTRIES SECONDS]`, 1 000 000 entries and 10 s
//! of packets by default.

#![expect(clippy::print_stdout, reason = "the person who runs it wants to see the figures")]

#[path = "../load/mod.rs"]
mod load;
mod memory;
mod owner;
mod packets;
mod peer;
mod writes;

/// Returns the load of the machine, where the system provides it.
fn machine() -> String {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = text.split(' ').next().filter(|load| !load.is_empty()).unwrap_or("unknown");
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!("{cores} cores, load {load}")
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["write", address, table, entries, in_flight] => {
            peer::print(writes::client(address, table, peer::number(entries), peer::number(in_flight)));
        }
        ["update", address] => packets::controller(address),
        ["memory"] => memory::process(),
        ["wait", address, election_id] => memory::client(address, peer::number(election_id)),
        _ => {
            let numbers: Vec<usize> = words.iter().filter_map(|word| word.parse().ok()).collect();
            let entries = numbers.first().copied().unwrap_or(1_000_000) / load::BATCH * load::BATCH;
            println!("at the start: {}", machine());
            memory::report();
            writes::report(entries);
            packets::report(entries, numbers.get(1).copied().unwrap_or(10));
            println!("at the end: {}", machine());
        }
    }
}
