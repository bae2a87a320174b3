//! Counts instructions per packet: the same work runs with fewer and with more packets, each time
//! in its own process, and the counts are subtracted.

use std::process::Command;

use weir_bench::measure::BATCH;
use weir_device::Buffer;

use crate::by_hand::{self, Run};
use crate::common;

const ROUTES: usize = 1_000;
const FLOWS: usize = 4096;
/// The packets of the shorter and of the longer run, in whole batches.
const PACKETS: [usize; 2] = [FLOWS, 4 * FLOWS];

/// Counts instructions, and prints the counts that this machine allows.
pub fn report() {
    for who in ["by hand", "native", "interp"] {
        let counted = PACKETS.map(|packets| count_instructions(who, packets));
        match counted {
            [Some((few, how)), Some((many, _))] => {
                let packets = (PACKETS[1] - PACKETS[0]) as f64;
                println!(
                    "  {who:<9} {:8.0} instructions a packet ({how})",
                    (many as f64 - few as f64) / packets
                );
            }
            _ => println!("  {who:<9} neither perf nor valgrind can count instructions here"),
        }
    }
}

fn count_instructions(who: &str, packets: usize) -> Option<(u64, &'static str)> {
    by_perf(who, packets)
        .map(|found| (found, "perf stat"))
        .or_else(|| by_valgrind(who, packets).map(|found| (found, "valgrind")))
}

fn count_own_process(command: &mut Command, who: &str, packets: usize) -> Option<String> {
    let own = std::env::current_exe().ok()?;
    let output = command.arg(own).args(["count", who, &packets.to_string()]).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stderr).into_owned())
}

fn by_perf(who: &str, packets: usize) -> Option<u64> {
    let text = count_own_process(
        Command::new("perf").args(["stat", "-x", ",", "-e", "instructions:u"]),
        who,
        packets,
    )?;
    text.lines().find(|line| line.contains("instructions"))?.split(',').next()?.parse().ok()
}

fn by_valgrind(who: &str, packets: usize) -> Option<u64> {
    let text = count_own_process(
        Command::new("valgrind").args([
            "--tool=callgrind",
            "--callgrind-out-file=/dev/null",
            "--smc-check=all",
        ]),
        who,
        packets,
    )?;
    let line = text.lines().find(|line| line.contains("Collected"))?;
    line.split(':').next_back()?.trim().parse().ok()
}

/// The work whose instructions are counted: packets through the hand-written loop or through an
/// executor.
pub fn run_counted_work(args: &[String]) {
    let [who, numbers @ ..] = args else { return println!("count WHO PACKETS [ROUTES]") };
    let numbers: Vec<usize> = numbers.iter().filter_map(|number| number.parse().ok()).collect();
    let Some(packets) = numbers.first().copied() else { return println!("count WHO PACKETS [ROUTES]") };
    let benchmark = crate::router(numbers.get(1).copied().unwrap_or(ROUTES));
    let load = benchmark.packets(FLOWS);
    if who == "by hand" {
        let by_hand = by_hand::forwarder(&benchmark).expect("there is a router by hand");
        let mut run = Run::new(&*by_hand, &load);
        for _ in 0..packets / BATCH {
            run.batch();
        }
        return;
    }
    let executors = common::executors(&common::program(benchmark.file, benchmark.source, &[]));
    let Some(executor) = executors.iter().find(|executor| executor.name() == who) else {
        return println!("there is no executor \"{who}\"");
    };
    let mut switch = common::switch(executor);
    benchmark.insert_entries(&mut switch.control()).expect("routes");
    let mut buffers: Vec<Buffer> = (0..BATCH).map(|_| Buffer::new(load.longest_packet())).collect();
    let mut transmissions = Vec::new();
    for batch in 0..packets / BATCH {
        for (place, buffer) in buffers.iter_mut().enumerate() {
            let at = batch * BATCH + place;
            let (port, bytes) = load.packet(at % load.len());
            buffer.receive(port, at as u64, bytes);
        }
        switch.forward(switch.now(), &mut buffers, &mut transmissions);
        transmissions.clear();
    }
}
