//! Measures TCP connections of the kernel from one network namespace to another.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::{Duration, Instant};

use crate::forwarder::{Forwarder, Kind, ports};
use crate::hosts::Host;
use crate::wires::median;

/// A forwarder between two hosts.
struct Subject {
    name: String,
    forwarder: Forwarder,
    hosts: [Host; 2],
    /// For each round, the rate of payload in Gbit/s, and the forwarder's processor time in
    /// nanoseconds per KB.
    rates: Vec<f64>,
    times: Vec<f64>,
}

/// Measures and prints.
pub fn report(rounds: u64, seconds: u64) {
    println!("TCP through one switch, {rounds} connections of {seconds} s");
    let kinds = [Kind::CopyLoop { vnet: true }].into_iter().chain(ports());
    let mut subjects: Vec<_> = kinds.enumerate().filter_map(|(n, kind)| Subject::start(n, &kind)).collect();
    for _ in 0..rounds {
        subjects.iter_mut().for_each(|subject| subject.measure_round(seconds * 1000));
    }
    let base = subjects[0].rates.clone();
    for Subject { name, rates, times, .. } in subjects {
        let ratios = rates.iter().zip(&base).map(|(rate, base)| rate / base).collect();
        let (rate, ratio, time) = (median(rates), median(ratios), median(times));
        println!("  {name:<42} {rate:>6.2} Gbit/s, {ratio:.2} of the copy loop, {time:.0} ns a KB");
    }
}

impl Subject {
    fn start(number: usize, kind: &Kind) -> Option<Self> {
        let name = |what: &str, end: usize| format!("{what}{number}-{end}");
        let hosts = Host::host_pair(|what, end| name(what, end));
        let forwarder = kind.start(&name("s", 1), &name("s", 2))?;
        let (rates, times) = (Vec::new(), Vec::new());
        Some(Self { name: kind.name().to_owned(), forwarder, hosts, rates, times })
    }

    fn measure_round(&mut self, milliseconds: u64) {
        let [sender, receiver] = &self.hosts;
        let mut receiving = receiver.program(&["receive", "10.0.0.2:5000"]);
        let mut lines = BufReader::new(receiving.stdout.take().expect("it is piped"));
        let mut line = String::new();
        lines.read_line(&mut line).expect("the receiver listens");
        let spent = self.forwarder.processor_time();
        let mut sending = sender.program(&["send", "10.0.0.2:5000", &milliseconds.to_string()]);
        line.clear();
        lines.read_line(&mut line).expect("the receiver says what it got");
        let spent = self.forwarder.processor_time() - spent;
        let numbers: Vec<f64> = line.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        let [bytes, nanoseconds] = numbers[..] else { panic!("{}: no connection", self.name) };
        assert!(sending.wait().expect("it ends").success() && receiving.wait().expect("it ends").success());
        self.rates.push(bytes * 8.0 / nanoseconds);
        self.times.push(spent / bytes * 1024.0);
    }
}

/// Receives from one connection, and prints bytes and nanoseconds.
pub fn receive(address: &str) {
    let listener = TcpListener::bind(address).expect("the address is this host's");
    println!();
    let (mut connection, _) = listener.accept().expect("a connection");
    connection.set_read_timeout(Some(Duration::from_secs(10))).expect("it has a timeout");
    let (mut buffer, mut bytes, begin) = (vec![0; 1 << 18], 0, Instant::now());
    while let Ok(count @ 1..) = connection.read(&mut buffer) {
        bytes += count;
    }
    println!("{bytes} {}", begin.elapsed().as_nanos());
}

/// Sends over one connection for this long.
pub fn send(address: &str, milliseconds: u64) {
    let address = address.parse().expect("an address");
    let mut connection = TcpStream::connect_timeout(&address, Duration::from_secs(10)).expect("a connection");
    let (data, end) = (vec![0x5a; 1 << 18], Instant::now() + Duration::from_millis(milliseconds));
    while Instant::now() < end {
        connection.write_all(&data).expect("it sends");
    }
}
