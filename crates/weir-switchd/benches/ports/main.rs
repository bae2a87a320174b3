//! Measures packet I/O between interfaces: the processor time that a switch spends on a frame of 64
//! bytes, the time that it adds to a round trip, and the rate of TCP through it. The figures are
//! compared with those of hand-written loops that only copy, and of `simple_switch`.
//!
//! `cargo bench -p weir-switchd --bench ports [-- ROUNDS SECONDS]`: by default, 10 rounds through
//! each switch, each of 20 bursts of 448 frames and 3 connections of 1 s. The benchmark creates its
//! interfaces in its own network namespace: as root it also measures `kind=xdp`, otherwise it uses
//! a user namespace. It measures p4lang's `simple_switch` if `simple_switch` and its compiler
//! `p4c-bm2-ss` are on PATH; the variables `SIMPLE_SWITCH` and `P4C` name other programs. With
//! `OTHER=path/to/weir-switchd`, the rounds alternate between this build and another one.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "the person who runs it wants to see the figures"
)]

mod bulk;
mod copy_loop;
mod forwarder;
mod hosts;
mod processors;
mod round_trip;
mod small;
mod wires;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["copy", left, right] => copy_loop::run(left, right, false),
        ["copy-vnet", left, right] => copy_loop::run(left, right, true),
        ["receive", address] => bulk::receive(address),
        ["answer", address] => round_trip::echo_datagrams(address),
        ["ask", address] => round_trip::measure_round_trips(address),
        ["send", address, milliseconds] => bulk::send(address, milliseconds.parse().unwrap()),
        _ => wires::in_namespace(&arguments, || {
            let numbers: Vec<u64> = words.iter().filter_map(|word| word.parse().ok()).collect();
            let cores = std::thread::available_parallelism().map_or(1, usize::from);
            println!("{cores} cores, load {}", wires::load());
            small::report(numbers.first().copied().unwrap_or(10));
            round_trip::report(3);
            bulk::report(3, numbers.get(1).copied().unwrap_or(1));
            println!("load at the end {}", wires::load());
        }),
    }
}
