//! A switch holds no more memory after thousands of updates and frames than before.

mod bench;
#[path = "../../weir-bench/benches/programs/memory.rs"]
mod memory;

use std::fmt::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bench::{Bench, executor, frame, running_switch};
use weir_control::{Names, commands};
use weir_p4runtime::{Folders, Listen, Server, ServerConfig, SwitchOwner};
use weir_p4runtime_client::{ClientConfig, Connection, Program, Remote};
use weir_switchd::Owner;

#[global_allocator]
static ALLOCATOR: memory::Counting = memory::Counting;

/// The maximum number of entries in each table.
const ENTRIES: usize = 20;
/// The number of updates in a round. Each entry is added, changed and removed.
const UPDATES: usize = 3 * 3 * ENTRIES;

/// Returns the commands of a round, with other keys for other numbers.
fn round_commands(number: usize) -> String {
    let mut text = "table_clear ports\ntable_add ports to 02:02:02:02:02:02 => 2\n".to_owned();
    for (table, rest, priority) in [("hosts", "", ""), ("routes", "/44", ""), ("rules", "&&&", " 7")] {
        let key = |host: usize| {
            let mac = format!("08:00:00:{:02x}:{host:02x}:00", number % 256);
            if table == "rules" { format!("{mac}&&&{:#x} 0&&&0", 0xffff_ffff_ff00_u64) } else { mac + rest }
        };
        writeln!(text, "table_set_default {table} note {number}").unwrap();
        for host in 0..ENTRIES {
            writeln!(text, "table_add {table} note {} => {host}{priority}", key(host)).unwrap();
        }
        for host in 0..ENTRIES {
            writeln!(text, "table_modify {table} note {} => 9", number * ENTRIES + host).unwrap();
        }
        writeln!(text, "table_clear {table}").unwrap();
    }
    text
}

/// Returns the number of bytes that are allocated now.
fn allocated_bytes() -> usize {
    let (allocated, freed) = memory::counted();
    allocated.saturating_sub(freed)
}

/// Returns the number of bytes that stay allocated after threads have freed unneeded memory,
/// measured as the minimum over a while.
fn settled_bytes() -> usize {
    let end = Instant::now() + Duration::from_millis(40);
    let mut least = allocated_bytes();
    while Instant::now() < end {
        std::thread::sleep(Duration::from_millis(1));
        least = least.min(allocated_bytes());
    }
    least
}

#[test]
fn updates_and_frames_leave_no_memory_behind() {
    const PROGRAM: &str = include_str!("../../../tests/real/soak.p4");
    let mut bench = Bench::start(running_switch(executor(PROGRAM.to_owned())));
    let listen = vec![Listen::Tcp(([127, 0, 0, 1], 0).into())];
    let config = ServerConfig {
        listen,
        ..ServerConfig::new(|_| Err("no other program".to_owned()), Folders(Vec::new()))
    };
    let owner = Arc::new(Owner(Arc::clone(&bench.plane))) as Arc<dyn SwitchOwner>;
    let server = Server::start(config, vec![(1, owner)]).unwrap();
    let [Listen::Tcp(address)] = server.addresses() else { panic!("no TCP") };
    let config = ClientConfig {
        address: address.to_string(),
        device_id: 1,
        election_id: Some(1),
        role: String::new(),
        tls: None,
        timeout: Duration::from_secs(20),
    };
    let connection = Arc::new(Connection::open(config, |wait| wait()).unwrap());
    let (info, _) = connection.program().unwrap().unwrap();
    let program = Arc::new(Program::new(&info, None, None).unwrap());
    let mut remote = Remote::new(connection, Arc::clone(&program));
    let mut runtime = commands::Runtime::default();
    let mut play = |number: usize| {
        let mut session = runtime.session(&mut remote, Names::new(&program.schema), "s1", "soak.p4");
        let ran = commands::run_lines(&mut session, &round_commands(number));
        assert!(ran.failed.is_empty(), "{:?}", ran.failed.first());
        let frames: Vec<_> = (0..64).map(|number| frame(2, 0x0800, number)).collect();
        bench.send(0, &frames);
        assert_eq!(bench.receive(1, frames.len()), frames);
    };
    const WARM_UP: usize = 4;
    const ROUNDS: usize = 16;
    (0..WARM_UP).for_each(&mut play);
    let mut held = vec![settled_bytes()];
    for number in WARM_UP..WARM_UP + ROUNDS {
        play(number);
        held.push(settled_bytes());
    }
    // Memory that updates leak grows in every round, while a buffer or a hash table grows in only a
    // few rounds.
    let mut grown: Vec<usize> = held.windows(2).map(|pair| pair[1].saturating_sub(pair[0])).collect();
    grown.sort_unstable();
    assert!(grown[ROUNDS / 2] < UPDATES, "rounds of {UPDATES} updates leave memory behind: {held:?}");
    assert!(held[ROUNDS] < held[0] + (256 << 10), "{} updates: {held:?}", ROUNDS * UPDATES);
}
