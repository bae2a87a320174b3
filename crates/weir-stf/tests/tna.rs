//! Tests of the Tofino Native Architecture: the programs of `testdata/tna` with their packets, on
//! the interpreter and on native code.

#![expect(clippy::disallowed_methods, reason = "tests read their programs")]

#[path = "tna/chip.rs"]
mod chip;
#[path = "portable/files.rs"]
mod files;
#[path = "portable/mod.rs"]
mod portable;
#[path = "tna/programs.rs"]
mod programs;
#[path = "portable/random.rs"]
mod random;

use std::sync::Arc;

use portable::{load_errors, run_test};
use programs::{bind, executors, for_tofino_2, loader, text};
use random::Random;
use weir_device::{Buffer, Device, ForwardingMetadata, Packet, Port};
use weir_exec::Executor;
use weir_ir::{ActionId, Bits, TableId};
use weir_switch::arch::{self, Chip};
use weir_switch::control::{Call, Entry, EntryRef, Match, Update};
use weir_switch::{Switch, SwitchConfig};

#[test]
fn packets_take_the_paths_of_tna_and_externs_compute() {
    assert_eq!(
        files::programs("tna"),
        [
            "copies.p4",
            "externs.p4",
            "filters.p4",
            "paths.p4",
            "pipes.p4",
            "queues.p4",
            "registers.p4",
            "values.p4"
        ]
    );
    for name in files::programs("tna") {
        let test = text(&name.replace(".p4", ".stf"));
        run_test(&name, executors(&text(&name)), &test, (6, 0));
    }
}

/// Makes a packet that the programs understand: an order, a port that does not recirculate packets,
/// and some bytes.
fn packet(random: &mut Random) -> Vec<u8> {
    let mut bytes =
        vec![random.below(16) as u8, 2 + random.below(4) as u8, random.below(8) as u8, random.below(5) as u8];
    let length = random.below(20) as usize;
    bytes.extend((0..length).map(|_| random.below(256) as u8));
    bytes.truncate(1 + random.below(27) as usize);
    bytes
}

/// The packets that leave, and the drops.
type Traffic = (Vec<(u64, Port, Vec<u8>)>, String);

/// Sends random packets, and returns all that leaves, and the drops.
fn traffic(executor: Arc<dyn Executor>, ports: &[u32], packet: fn(&mut Random) -> Vec<u8>) -> Traffic {
    let config = SwitchConfig { priorities: 4, ..SwitchConfig::default() };
    let all = ports.iter().copied().chain([64]);
    let mut switch = Switch::new(executor, config.with_ports(all)).expect("the program loads");
    let (mut random, mut left) = (Random(47), Vec::new());
    for id in 0..3000 {
        let port = ports[random.below(ports.len() as u64) as usize];
        switch.receive(switch.now(), port, Packet::new(id, packet(&mut random)));
        let mut transmissions = Vec::new();
        switch.advance(switch.now() + 100_000, &mut transmissions);
        left.extend(transmissions.into_iter().map(|sent| (sent.time, sent.port, sent.packet.bytes)));
    }
    assert!(switch.stats().is_balanced());
    (left, format!("{:?}", switch.stats().drops))
}

#[test]
fn native_code_agrees_with_the_interpreter() {
    for name in files::programs("tna") {
        for program in [text(&name), for_tofino_2(&text(&name))] {
            let [interpreted, native] =
                executors(&program).map(|executor| traffic(executor, &[1, 2, 3, 4], packet));
            assert!(interpreted.0.len() > 500, "{name}: only {} packets left", interpreted.0.len());
            assert_eq!(interpreted, native, "{name}");
        }
    }
}

/// The ports in the test of two pipes: two of the first pipe, and two of the second. None
/// recirculates packets in Tofino 1 or 2.
const PORTS_OF_PIPES: [u32; 4] = [9, 11, 137, 138];

/// Makes a packet for two pipes: an order, or a stamp and an order if the third byte asks for a
/// stamp. No order names a port that recirculates packets, because each pass of the second pipe
/// adds a stamp.
fn packet_for_pipes(random: &mut Random) -> Vec<u8> {
    let port = |random: &mut Random| PORTS_OF_PIPES[random.below(4) as usize] as u8;
    let mut bytes = vec![0, port(random), random.below(256) as u8, 0, port(random)];
    bytes.extend((0..random.below(7)).map(|_| random.below(256) as u8));
    bytes
}

#[test]
fn native_code_agrees_with_the_interpreter_about_pipes() {
    for program in [text("pipes.p4"), for_tofino_2(&text("pipes.p4"))] {
        let [interpreted, native] =
            executors(&program).map(|executor| traffic(executor, &PORTS_OF_PIPES, packet_for_pipes));
        for port in PORTS_OF_PIPES {
            let left = interpreted.0.iter().filter(|(_, to, _)| *to == port).count();
            assert!(left > 300, "only {left} packets left through port {port}");
        }
        assert_eq!(interpreted, native);
    }
}

/// Returns a random port of a chip. One in four recirculates packets of the first program. None
/// does so for the second program, which adds a stamp in each pass and drops no packet.
fn port_of_chip(random: &mut Random, chip: Chip) -> Port {
    let recirculates = chip.recirculates();
    let wanted = random.below(4) == 0;
    loop {
        let port = random.below(512) as Port;
        let is_of_first = port >> 7 & 1 == 0;
        if recirculates(port) == wanted && (is_of_first || !wanted) {
            return port;
        }
    }
}

/// Returns a packet that consists of two orders and some bytes; a second pipe may read the first
/// order as a stamp.
fn packet_for_chip(random: &mut Random, chip: Chip) -> Vec<u8> {
    let mut bytes = Vec::new();
    for _ in 0..2 {
        bytes.extend((port_of_chip(random, chip) as u16).to_be_bytes());
        bytes.push(random.below(256) as u8);
    }
    bytes.extend((0..random.below(7)).map(|_| random.below(256) as u8));
    bytes
}

/// Sends random packets from and to all ports of a chip, in batches on the fast path or one by one
/// on the slow path. Returns all that leaves, the drops, and the number of packets that left in
/// their buffers.
fn traffic_of_chip(executor: Arc<dyn Executor>, chip: Chip, is_fast: bool) -> (Traffic, usize) {
    let config = SwitchConfig { pass_latency: 0, ..SwitchConfig::default().with_ports(0..512) };
    let mut switch = Switch::new(executor, config).expect("the program loads");
    let (mut random, mut left, mut taken) = (Random(47), Vec::new(), 0);
    for round in 0..300 {
        let (now, mut out) = (round * 100_000, Vec::new());
        let buffer = |at: u64| {
            let ingress_port = port_of_chip(&mut random, chip);
            let metadata = ForwardingMetadata { id: 8 * round + at, ingress_port, ..Default::default() };
            Buffer::copy_of(&packet_for_chip(&mut random, chip), metadata)
        };
        let mut buffers: Vec<Buffer<'_>> = (0..8).map(buffer).collect();
        if is_fast {
            switch.forward(now, &mut buffers, &mut out);
        } else {
            for buffer in &buffers {
                switch.receive(now, buffer.metadata.ingress_port, buffer.to_packet());
                switch.advance(now, &mut out);
            }
        }
        switch.advance(now + 99_999, &mut out);
        left.extend(out.into_iter().map(|sent| (sent.packet.id, sent.port, sent.packet.bytes)));
        let before = left.len();
        left.extend(buffers.iter().filter_map(|buffer| {
            let ForwardingMetadata { id, egress_port, .. } = buffer.metadata;
            Some((id, egress_port?, buffer.bytes().to_vec()))
        }));
        taken += left.len() - before;
    }
    left.sort();
    ((left, format!("{:?}", switch.stats().drops)), taken)
}

#[test]
fn packets_of_all_ports_run_the_program_of_their_pipe_on_all_paths() {
    for (program, chip) in
        [(text("pipes.p4"), Chip::Tofino1), (for_tofino_2(&text("pipes.p4")), Chip::Tofino2)]
    {
        let slow = executors(&program).map(|executor| traffic_of_chip(executor, chip, false).0);
        for executor in executors(&program) {
            let (fast, taken) = traffic_of_chip(executor, chip, true);
            assert!(taken > 1000, "only {taken} packets left in their buffers");
            assert_eq!(fast, slow[0]);
        }
        assert_eq!(slow[0], slow[1]);
    }
}

#[test]
fn one_program_may_run_in_several_pipes() {
    let twice = text("paths.p4").replace("Switch(pipe) main;", "Switch(pipe, pipe) main;");
    let once = executors(&text("paths.p4")).map(|executor| traffic(executor, &[1, 2, 3, 4], packet));
    let twice = executors(&twice).map(|executor| traffic(executor, &[1, 2, 3, 4], packet));
    assert_eq!(once, twice);
}

/// A program of filters, its clock and its outputs.
struct Filters(Switch);

impl Filters {
    /// Makes a cell with these fields; the others are 0.
    fn cell(fields: &[(String, u32)], given: &[(&str, u64)]) -> Bits {
        let value = |name: &str| given.iter().find(|(of, _)| *of == name).map_or(0, |(_, value)| *value);
        let values = fields.iter().map(|(name, width)| Bits::new(*width, u128::from(value(name))));
        values.fold(Bits::zero(0), |cell, field| cell.concat(&field))
    }

    fn set(&mut self, name: &str, given: &[(&str, u64)]) {
        let register = self.0.schema().registers.iter().find(|register| register.name == name);
        let register = register.expect("a filter is a register");
        let (register, value) = (register.id, Self::cell(&register.fields, given));
        let update = Update::WriteRegister { register, index: 1, value };
        self.0.control().write(&[update]).expect("the cell fits");
    }

    /// Adds an entry with this filter.
    fn set_entry(&mut self, table: &str, action: &str, given: &[(&str, u64)]) {
        let schema = self.0.schema();
        let number = schema.tables.iter().position(|of| of.name == table).expect("there is a table");
        let action = schema.actions.iter().position(|of| of.name == action).expect("there is an action");
        let (table, matches) = (TableId::new(number), vec![Match::Exact(Bits::new(8, 1))]);
        let call = Call { action: ActionId::new(action), args: Vec::new() };
        let entry =
            Entry { matches: matches.clone(), priority: None, action: call.into(), idle_timeout: None };
        let mut control = self.0.control();
        control.write(&[Update::Insert { table, entry }]).expect("the entry fits");
        let fields = control.direct_register_fields(table).expect("there is a direct register").to_vec();
        let (entry, value) = (EntryRef::Key { matches, priority: None }, Self::cell(&fields, given));
        let update = Update::WriteDirectRegister { table, entry: entry.clone(), value: value.clone() };
        control.write(&[update]).expect("the cell fits");
        assert_eq!(control.direct_register(table, &entry), Ok(value));
    }

    /// Returns the result for a packet at a time in microseconds.
    fn result(&mut self, micros: u64, what: u8, number: u16) -> u32 {
        let [upper, lower] = number.to_be_bytes();
        let mut left = Vec::new();
        self.0.advance(micros * 1000, &mut left);
        self.0.receive(micros * 1000, 1, Packet::new(0, vec![what, 1, upper, lower, 0, 0, 0, 0]));
        left.clear();
        self.0.advance(micros * 1000 + 999, &mut left);
        u32::from_be_bytes(left[0].packet.bytes[4..8].try_into().expect("it has eight bytes"))
    }
}

/// Makes switches with the program of filters, with both executors.
fn filters() -> [Filters; 2] {
    executors(&text("filters.p4")).map(|executor| {
        let config = SwitchConfig { pass_latency: 0, ..SwitchConfig::default().with_ports([1, 3]) };
        Filters(Switch::new(executor, config).expect("the program loads"))
    })
}

#[test]
fn filters_follow_their_input_with_their_time_constants() {
    for mut filters in filters() {
        let average = [
            ("gain_time_constant_ps", 1_000_000_000),
            ("decay_time_constant_ps", 2_000_000_000),
            ("out_scale_down_factor", 1),
        ];
        filters.set("Work.average", &average);
        filters.set_entry("Work.measured", "Work.measure", &average);
        // Half of 1000 (1 - 1/e), of 1000 (1 - 1/e²), and of 1/e of the latter.
        for what in [1, 3] {
            let start = u64::from(what) * 10_000;
            let first = filters.result(start, what, 0);
            let results = [(1000, 1000), (2000, 1000), (4000, 0)]
                .map(|(micros, number)| filters.result(start + micros, what, number));
            assert_eq!((first, results), (0, [316, 432, 159]), "{what}");
        }
        // A rate of 100 each millisecond, with a time constant of 10 ms.
        filters.set("Work.average", &[("is_rate", 1), ("decay_time_constant_ps", 10_000_000_000)]);
        let last = (0..1000).map(|milli| filters.result(100_000 + milli * 1000, 1, 100)).last();
        assert_eq!(last, Some(1050));
    }
}

#[test]
fn early_drops_are_as_likely_as_the_specification_says() {
    let marks = filters().map(|mut filters| {
        let spec = [
            ("min_thresh_cells", 100),
            ("max_thresh_cells", 200),
            ("max_probability_billionths", 500_000_000),
        ];
        filters.set("Work.early", &spec);
        filters.set_entry("Work.marked", "Work.mark", &spec);
        let mut marks = |what, number| -> Vec<u32> {
            let start = filters.0.now() / 1000 + 1;
            (start..start + 4000).map(|micros| filters.result(micros, what, number)).collect()
        };
        let all = [marks(2, 100), marks(2, 150), marks(2, 200), marks(4, 100), marks(4, 150), marks(4, 200)];
        let dropped = |at: usize, mark| all[at].iter().filter(|of| **of == mark).count();
        assert_eq!([dropped(0, 1), dropped(2, 1), dropped(3, 7), dropped(5, 7)], [0, 4000, 0, 4000]);
        for between in [dropped(1, 1), dropped(4, 7)] {
            assert!((900..1100).contains(&between), "{between} of 4000, not a quarter");
        }
        all
    });
    assert_eq!(marks[0], marks[1], "both executors draw the same numbers");
}

/// Returns the errors that keep a variant of a program from loading.
fn errors(name: &str, from: &str, to: &str) -> String {
    let original = text(name);
    assert!(original.contains(from), "{from}");
    load_errors(bind(&original.replacen(from, to, 1)))
}

#[test]
fn unsupported_externs_are_refused_by_name() {
    let cases = [(
        "    Mirror() mirror;\n",
        "    Mirror() mirror; MathUnit<bit<8>>(MathOp_t.DIV, 1, 0) unit;\n",
        "its factors must be positive numbers",
    )];
    for (from, to, message) in cases {
        let reported = errors("paths.p4", from, to);
        assert!(reported.contains(message), "{to}: {reported}");
    }
    assert_eq!(errors("paths.p4", "apply {", "apply {"), "");
}

#[test]
fn digests_have_the_name_of_their_object_and_time_outs_are_known() {
    let with_timeouts = text("externs.p4").replace("= selector;", "= selector; idle_timeout = true;");
    for executor in executors(&with_timeouts) {
        let config = SwitchConfig::default().with_ports([1, 3]);
        let mut switch = Switch::new(executor, config).expect("the program loads");
        let timeouts = switch.schema().tables.iter().filter(|table| table.support_timeout);
        assert_eq!(timeouts.map(|table| table.name.as_str()).collect::<Vec<_>>(), ["Work.selected"]);
        switch.receive(0, 1, Packet::new(0, vec![13, 1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 66]));
        switch.advance(1_000_000, &mut Vec::new());
        let digests = switch.control().take_digests();
        let values: Vec<_> = digests[0].values.iter().map(|value| value.low_u64()).collect();
        assert_eq!((&*digests[0].name, values), ("Leave.notes", vec![13, 66]));
        assert_eq!(digests[0].names, ["what", "result"]);
    }
}

/// Returns the warnings about a program that the chips could not run.
fn warnings(text: &str) -> Vec<String> {
    let program = weir_compiler::compile("program.p4", &loader(text), &[]).program;
    let warnings = arch::warnings(&program.expect("the program is valid"));
    warnings.into_iter().map(|warning| format!("{}: {}", warning.id, warning.message)).collect()
}

#[test]
fn repeated_uses_of_registers_are_reported() {
    let original = text("registers.p4");
    assert_eq!(warnings(&original), [""; 0]);
    let end = "        tm.bypass_egress = 1;";
    let read = original.replace(end, &format!("        hdr.ask.result = counts.read(0);\n{end}"));
    let repeated =
        "repeated-register: a packet may use the register `Work.counts` twice; Tofino allows one use";
    assert_eq!(warnings(&read), [repeated]);
    // The branches after a lookup belong to the action that has run.
    let after = |branches: &str| original.replace(end, &format!("        {branches}\n{end}"));
    let lookup = "if (indexes.apply().hit) { } else { add.execute(0); }";
    assert_eq!(warnings(&after(lookup)).len(), 1, "the lookup is the second one");
    let alone = after(lookup).replacen("            indexes.apply();\n", "", 1);
    assert_eq!(alone.matches("indexes.apply()").count(), 1);
    let other_register = alone.replace("counts) add", "alone_counts) add").replace(
        "    Register<bit<32>, bit<8>>(16, 7) counts;",
        "    Register<bit<32>, bit<8>>(16, 7) counts; Register<bit<32>, bit<8>>(16) alone_counts;",
    );
    let other_register =
        other_register.replacen("hdr.ask.result = add.execute(hdr.ask.index);", "hdr.ask.result = 1;", 1);
    assert_eq!(warnings(&other_register), [""; 0]);
    let both = original.replace(
        "hdr.ask.result = add.execute(index);",
        "hdr.ask.result = add.execute(index); see.execute(index);",
    );
    let several = "several-registers: action `Work.of_table` uses the registers `Work.counts` and \
                   `Work.seen`; Tofino allows one";
    assert_eq!(warnings(&both), [several]);
}
