//! Measures the time that a switch adds to a round trip on an idle machine. The kernels of two
//! hosts exchange UDP datagrams, one at a time. `simple_switch` is not measured, because it does
//! not complete partial checksums.
//!
//! Waking a sleeping processor can take longer than everything else, especially in virtual
//! machines. So the hosts share a processor, and the forwarder either also uses it or has its own.

use std::io::{BufRead, BufReader};
use std::net::UdpSocket;
use std::time::{Duration, Instant};

use crate::forwarder::{Forwarder, Kind, polling, ports};
use crate::hosts::Host;
use crate::processors;
use crate::wires::median;

/// The number of round trips in a round.
const ROUND: usize = 100;
/// The time from one round trip to the next, long enough that the switch sleeps between them.
const PAUSE: Duration = Duration::from_millis(1);

/// Two hosts, and the forwarder or wire between them.
struct Subject {
    name: String,
    /// The processor of the hosts.
    processor: usize,
    forwarder: Option<Forwarder>,
    hosts: [Host; 2],
    /// The microseconds of each round trip.
    times: Vec<f64>,
    /// The microseconds of the forwarder's processor time per round trip, by round.
    spent: Vec<f64>,
}

/// Measures and prints.
pub fn report(rounds: u64) {
    let usable = processors::usable_processors();
    let hosts = usable[0];
    println!("round trips of UDP between idle hosts, {rounds} rounds of {ROUND}");
    measure_place(rounds, "all on one processor", hosts, hosts);
    match usable.get(1) {
        Some(&own) => {
            measure_place(rounds, "a processor for the hosts, and one for the forwarder", hosts, own)
        }
        None => println!(" no second processor: not measured with a processor for the forwarder"),
    }
}

/// Measures and prints. `processor` is the processor of the hosts, and `own` that of the forwarder
/// between them.
fn measure_place(rounds: u64, place: &str, processor: usize, own: usize) {
    println!(" {place}");
    let mut subjects = vec![Subject {
        name: "a wire only".to_owned(),
        processor,
        forwarder: None,
        hosts: Host::connected(&format!("wire{own}-1"), &format!("wire{own}-2")),
        times: Vec::new(),
        spent: Vec::new(),
    }];
    let kinds = [Kind::CopyLoop { vnet: true }].into_iter().chain(ports());
    // A polling forwarder would take the processor from the hosts.
    let polling = (own != processor).then(polling);
    for (number, kind) in kinds.chain(polling).enumerate() {
        let subject = processors::run_on_processor(own, || {
            Subject::start(&format!("{own}-{number}"), &kind, processor)
        });
        subjects.extend(subject);
    }
    for _ in 0..rounds {
        subjects.iter_mut().for_each(Subject::measure_round);
    }
    let base = median(subjects[0].times.clone());
    for Subject { name, times, spent, .. } in subjects {
        let (time, spent) = (median(times), median(spent));
        let more = time - base;
        println!("  {name:<42} {time:>6.1} us, {more:.1} us more than a wire; it takes {spent:.1} us");
    }
}

impl Subject {
    fn start(number: &str, kind: &Kind, processor: usize) -> Option<Self> {
        let name = |what: &str, end: usize| format!("r{what}{number}-{end}");
        let hosts = Host::host_pair(name);
        let forwarder = Some(kind.start(&name("s", 1), &name("s", 2))?);
        // A polling forwarder would take the processor from the other forwarders.
        forwarder.iter().for_each(|forwarder| forwarder.set_running(false));
        let name = kind.name().to_owned();
        Some(Self { name, processor, forwarder, hosts, times: Vec::new(), spent: Vec::new() })
    }

    fn measure_round(&mut self) {
        self.forwarder.iter().for_each(|forwarder| forwarder.set_running(true));
        let [client, server] = &self.hosts;
        let mut answering =
            processors::run_on_processor(self.processor, || server.program(&["answer", "10.0.0.2:5000"]));
        let mut lines = BufReader::new(answering.stdout.take().expect("it is piped")).lines();
        lines.next();
        let processor_time = || self.forwarder.as_ref().map_or(0.0, Forwarder::processor_time);
        let before = processor_time();
        let mut asking =
            processors::run_on_processor(self.processor, || client.program(&["ask", "10.0.0.2:5000"]));
        let lines = BufReader::new(asking.stdout.take().expect("it is piped")).lines();
        let times = lines.map_while(Result::ok).filter_map(|line| line.parse::<f64>().ok());
        self.times.extend(times);
        self.spent.push((processor_time() - before) / ROUND as f64 / 1000.0);
        let ended = asking.wait().expect("it ends").success();
        answering.kill().expect("it runs");
        answering.wait().expect("it ends");
        self.forwarder.iter().for_each(|forwarder| forwarder.set_running(false));
        assert!(ended, "{}: no answers", self.name);
    }
}

/// Sends every datagram back.
pub fn echo_datagrams(address: &str) {
    let socket = UdpSocket::bind(address).expect("the address is this host's");
    println!();
    let mut buffer = [0; 64];
    while let Ok((length, from)) = socket.recv_from(&mut buffer) {
        let _lost = socket.send_to(&buffer[..length], from);
    }
}

/// Sends datagrams, and prints the microseconds until each comes back.
pub fn measure_round_trips(address: &str) {
    let socket = UdpSocket::bind("0.0.0.0:0").expect("a socket");
    socket.connect(address).expect("an address");
    socket.set_read_timeout(Some(Duration::from_secs(2))).expect("it has a timeout");
    let mut buffer = [0; 64];
    for number in 0..ROUND {
        std::thread::sleep(PAUSE);
        let begin = Instant::now();
        socket.send(&[0; 18]).expect("it sends");
        socket.recv(&mut buffer).expect("an answer");
        // The first round trips warm up the path.
        if number >= 10 {
            println!("{}", begin.elapsed().as_nanos() as f64 / 1000.0);
        }
    }
}
