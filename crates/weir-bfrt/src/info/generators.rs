//! The tables of packet generators.

use weir_switch::arch::Chip;

use super::{Action, DataField, FieldType, KeyField, Object, Table, numbered};

/// The numbers of tables and of their fields.
pub mod ids {
    /// The table of ports.
    pub const PORTS: u32 = 0xff03_0001;
    /// The table of applications.
    pub const APPS: u32 = 0xff03_0002;
    /// The table of the buffer.
    pub const BUFFER: u32 = 0xff03_0003;

    /// The actions of applications, which are their triggers.
    pub const ONE_SHOT: u32 = 1;
    /// A timer that starts again.
    pub const PERIODIC: u32 = 2;
    /// A port goes down.
    pub const PORT_DOWN: u32 = 3;
    /// A recirculated packet matches a pattern.
    pub const RECIRCULATED: u32 = 4;

    /// The time of a timer.
    pub const TIMER: u32 = 1;
    /// The value of a pattern.
    pub const PATTERN: u32 = 4;
    /// The mask of a pattern.
    pub const PATTERN_MASK: u32 = 5;
    /// Whether an application makes packets. The other fields follow.
    pub const ENABLE: u32 = 12;
    /// The length of packets.
    pub const LENGTH: u32 = 13;
    /// The position of packets in the buffer.
    pub const OFFSET: u32 = 14;
    /// The port on which packets arrive.
    pub const SOURCE_PORT: u32 = 15;
    /// Whether each packet of a batch arrives on the next port.
    pub const INCREMENT: u32 = 16;
    /// The number of batches minus 1.
    pub const BATCHES: u32 = 17;
    /// The number of packets of a batch minus 1.
    pub const PACKETS: u32 = 18;
    /// The time between batches.
    pub const BATCH_GAP: u32 = 19;
    /// The most by which this time is longer.
    pub const BATCH_JITTER: u32 = 20;
    /// The time between packets.
    pub const PACKET_GAP: u32 = 21;
    /// The most by which this time is longer.
    pub const PACKET_JITTER: u32 = 22;
    /// The number of batches so far.
    pub const BATCH_COUNT: u32 = 23;
    /// The number of packets so far.
    pub const PACKET_COUNT: u32 = 24;
    /// The number of events so far.
    pub const TRIGGER_COUNT: u32 = 25;
    /// The channel of a port group, in Tofino 2.
    pub const CHANNEL: u32 = 28;

    /// Whether a port recirculates packets.
    pub const RECIRCULATES: u32 = 1;
    /// Whether applications of the port's pipe make packets.
    pub const GENERATES: u32 = 2;
    /// Whether recirculated packets of the port may trigger applications.
    pub const MATCHES: u32 = 3;
    /// Whether the port may trigger applications again.
    pub const REARMS: u32 = 4;

    /// The bytes of the buffer.
    pub const BYTES: u32 = 1;
}

/// Returns the tables of a chip.
pub(super) fn tables(chip: Chip) -> [Table; 3] {
    let family = match chip {
        Chip::Tofino1 => "tf1",
        Chip::Tofino2 => "tf2",
    };
    let name = |table: &str| format!("{family}.pktgen.{table}");
    let key = |id, name| KeyField { mandatory: false, ..KeyField::exact(id, name, 32) };
    let bool = FieldType::Bool(Some(false));
    let ports = Table {
        keys: vec![key(1, "dev_port")],
        data: numbered(
            ids::RECIRCULATES,
            [
                ("recirculation_enable", bool),
                ("pktgen_enable", bool),
                ("pattern_matching_enable", bool),
                ("clear_port_down_enable", bool),
            ],
        ),
        ..Table::new(name("port_cfg"), ids::PORTS, Object::GeneratorPorts, "PktgenPortCfg", 256)
    };
    let buffer = Table {
        keys: vec![key(1, "pkt_buffer_offset"), key(2, "pkt_buffer_size")],
        data: vec![DataField::new(ids::BYTES, "buffer", FieldType::Bytes(8)).list()],
        ..Table::new(name("pkt_buffer"), ids::BUFFER, Object::GeneratorBuffer, "PktgenPktBufferCfg", 1024)
    };
    [ports, apps(name("app_cfg"), key(1, "app_id"), chip), buffer]
}

fn apps(name: String, key: KeyField, chip: Chip) -> Table {
    let (short, pattern, size) = match chip {
        Chip::Tofino1 => (FieldType::Uint(16, Some(0)), FieldType::Uint(32, Some(0)), 8),
        Chip::Tofino2 => (FieldType::Bytes(16), FieldType::Bytes(128), 16),
    };
    let (bool, int, count) =
        (FieldType::Bool(Some(false)), FieldType::Uint(32, Some(0)), FieldType::Uint(64, Some(0)));
    let mut data = numbered(
        ids::ENABLE,
        [
            ("app_enable", bool),
            ("pkt_len", short),
            ("pkt_buffer_offset", short),
            ("pipe_local_source_port", int),
            ("increment_source_port", bool),
            ("batch_count_cfg", short),
            ("packets_per_batch_cfg", short),
            ("ibg", int),
            ("ibg_jitter", int),
            ("ipg", int),
            ("ipg_jitter", int),
            ("batch_counter", count),
            ("pkt_counter", count),
            ("trigger_counter", count),
        ],
    );
    if chip == Chip::Tofino2 {
        data.push(DataField::new(ids::CHANNEL, "assigned_chnl_id", FieldType::Bytes(8)));
    }
    let timer = || numbered(ids::TIMER, [("timer_nanosec", int)]);
    let patterns = numbered(ids::PATTERN, [("pattern_value", pattern), ("pattern_mask", pattern)]);
    let actions = [
        (ids::ONE_SHOT, "trigger_timer_one_shot", timer()),
        (ids::PERIODIC, "trigger_timer_periodic", timer()),
        (ids::PORT_DOWN, "trigger_port_down", Vec::new()),
        (ids::RECIRCULATED, "trigger_recirc_pattern", patterns),
    ];
    let action = |(id, name, data): (u32, &str, Vec<DataField>)| Action {
        name: name.to_owned(),
        id,
        action: None,
        scope: None,
        data,
    };
    Table {
        keys: vec![key],
        actions: actions.map(action).to_vec(),
        data,
        ..Table::new(name, ids::APPS, Object::GeneratorApps, "PktgenAppCfg", size)
    }
}
