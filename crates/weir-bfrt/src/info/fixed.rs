//! The tables that every switch has ("BfRt schema 1.0": tables of the device, whose numbers begin
//! with 0xff). They list the fields that the switch has; others are left out.

use super::{Action, DataField, FieldType, KeyField, Object, Table};

/// The numbers of tables and of their fields.
pub mod ids {
    /// The table of ports.
    pub const PORT: u32 = 0xff01_0001;
    /// The table of multicast groups.
    pub const MGID: u32 = 0xff02_0001;
    /// The table of multicast nodes.
    pub const NODE: u32 = 0xff02_0002;
    /// The table of mirror sessions.
    pub const MIRROR: u32 = 0xff04_0001;
    /// The table of the device.
    pub const DEVICE: u32 = 0xff06_0001;

    /// Fields of the table of multicast groups.
    pub mod mgid {
        /// The nodes.
        pub const NODES: u32 = 1;
        /// Whether each node has an exclusion id.
        pub const XID_VALID: u32 = 2;
        /// The exclusion id of each node.
        pub const XID: u32 = 3;
    }

    /// Fields of the table of multicast nodes.
    pub mod node {
        /// The replication id.
        pub const RID: u32 = 1;
        /// The groups of ports.
        pub const LAGS: u32 = 2;
        /// The ports.
        pub const PORTS: u32 = 3;
    }

    /// Fields of the table of mirror sessions.
    pub mod mirror {
        /// The only action.
        pub const NORMAL: u32 = 2;
        /// Whether the session makes copies.
        pub const ENABLE: u32 = 5;
        /// The direction of the original.
        pub const DIRECTION: u32 = 6;
        /// The port.
        pub const PORT: u32 = 7;
        /// Whether there is a port.
        pub const PORT_VALID: u32 = 8;
        /// The queue.
        pub const QUEUE: u32 = 9;
        /// The class of the copies before their egress.
        pub const INGRESS_COS: u32 = 10;
        /// The colour of the copies.
        pub const COLOUR: u32 = 11;
        /// The hash for the choice of nodes.
        pub const LEVEL1_HASH: u32 = 12;
        /// The hash for the choice of ports.
        pub const LEVEL2_HASH: u32 = 13;
        /// The multicast group.
        pub const GROUP_A: u32 = 14;
        /// Whether there is a multicast group.
        pub const GROUP_A_VALID: u32 = 15;
        /// A second multicast group.
        pub const GROUP_B: u32 = 16;
        /// Whether there is a second multicast group.
        pub const GROUP_B_VALID: u32 = 17;
        /// The first exclusion id.
        pub const L1_XID: u32 = 18;
        /// The second exclusion id.
        pub const L2_XID: u32 = 19;
        /// The replication id of the copy that leaves through the port.
        pub const RID: u32 = 20;
        /// The class of a copy to the CPU.
        pub const COS_TO_CPU: u32 = 21;
        /// Whether there is a copy to the CPU.
        pub const TO_CPU: u32 = 22;
        /// The maximum length.
        pub const MAX_LEN: u32 = 23;
    }

    /// Fields of the table of ports.
    pub mod port {
        /// The speed.
        pub const SPEED: u32 = 1;
        /// The error correction.
        pub const FEC: u32 = 2;
        /// The number of lanes.
        pub const LANES: u32 = 3;
        /// Whether the port is enabled.
        pub const ENABLE: u32 = 4;
        /// The negotiation of the speed.
        pub const NEGOTIATION: u32 = 5;
        /// Whether the port exists.
        pub const IS_VALID: u32 = 21;
        /// Whether the port is up.
        pub const UP: u32 = 25;
        /// The name.
        pub const NAME: u32 = 26;
    }

    /// Fields of the table of the device.
    pub mod device {
        /// The product.
        pub const SKU: u32 = 1;
        /// The number of pipes.
        pub const PIPES: u32 = 2;
        /// The number of ports.
        pub const MAX_PORTS: u32 = 4;
        /// The number of ports with an interface.
        pub const FRONT_PORTS: u32 = 5;
        /// The ports with an interface.
        pub const EXTERNAL_PORTS: u32 = 9;
    }
}

const DIRECTIONS: &[&str] = &["INGRESS", "EGRESS", "BOTH"];
const COLOURS: &[&str] = &["GREEN", "YELLOW", "RED"];
const SPEEDS: &[&str] = &[
    "BF_SPEED_NONE",
    "BF_SPEED_1G",
    "BF_SPEED_10G",
    "BF_SPEED_25G",
    "BF_SPEED_40G",
    "BF_SPEED_50G",
    "BF_SPEED_100G",
    "BF_SPEED_200G",
    "BF_SPEED_400G",
];
const CORRECTIONS: &[&str] =
    &["BF_FEC_TYP_NONE", "BF_FEC_TYP_FIRECODE", "BF_FEC_TYP_REED_SOLOMON", "BF_FEC_TYP_FC", "BF_FEC_TYP_RS"];
const NEGOTIATIONS: &[&str] = &["PM_AN_DEFAULT", "PM_AN_FORCE_ENABLE", "PM_AN_FORCE_DISABLE"];

const fn uint(bits: u32) -> FieldType {
    FieldType::Uint(bits, None)
}

const fn flag(default: bool) -> FieldType {
    FieldType::Bool(Some(default))
}

/// Returns the tables.
pub fn tables() -> Vec<Table> {
    vec![ports(), multicast_groups(), multicast_nodes(), mirror_sessions(), device()]
}

fn ports() -> Table {
    use ids::port as f;
    let field = DataField::new;
    Table {
        keys: vec![KeyField::exact(1, "$DEV_PORT", 32)],
        data: vec![
            field(f::SPEED, "$SPEED", FieldType::Text(SPEEDS)),
            field(f::FEC, "$FEC", FieldType::Text(CORRECTIONS)),
            field(f::LANES, "$N_LANES", FieldType::Uint(32, Some(1))),
            field(f::ENABLE, "$PORT_ENABLE", flag(false)),
            field(f::NEGOTIATION, "$AUTO_NEGOTIATION", FieldType::Text(NEGOTIATIONS)),
            field(f::IS_VALID, "$IS_VALID", FieldType::Bool(None)).read_only(),
            field(f::UP, "$PORT_UP", FieldType::Bool(None)).read_only(),
            field(f::NAME, "$PORT_NAME", FieldType::Text(&[])).read_only(),
        ],
        attributes: vec!["port_status_notif_cb"],
        ..Table::new("$PORT", ids::PORT, Object::Ports, "PortConfigure", 256)
    }
}

fn multicast_groups() -> Table {
    use ids::mgid as f;
    Table {
        keys: vec![KeyField::exact(1, "$MGID", 16)],
        data: vec![
            DataField::new(f::NODES, "$MULTICAST_NODE_ID", uint(32)).list(),
            DataField::new(f::XID_VALID, "$MULTICAST_NODE_L1_XID_VALID", FieldType::Bool(None)).list(),
            DataField::new(f::XID, "$MULTICAST_NODE_L1_XID", uint(16)).list(),
        ],
        ..Table::new("$pre.mgid", ids::MGID, Object::MulticastGroups, "PreMgid", 65536)
    }
}

fn multicast_nodes() -> Table {
    use ids::node as f;
    Table {
        keys: vec![KeyField::exact(1, "$MULTICAST_NODE_ID", 32)],
        data: vec![
            DataField::new(f::RID, "$MULTICAST_RID", uint(16)).mandatory(),
            DataField::new(f::LAGS, "$MULTICAST_LAG_ID", uint(8)).list().mandatory(),
            DataField::new(f::PORTS, "$DEV_PORT", uint(32)).list().mandatory(),
        ],
        ..Table::new("$pre.node", ids::NODE, Object::MulticastNodes, "PreNode", 1 << 24)
    }
}

fn mirror_sessions() -> Table {
    use ids::mirror as f;
    let field = DataField::new;
    let normal =
        Action { name: "$normal".to_owned(), id: f::NORMAL, action: None, scope: None, data: Vec::new() };
    Table {
        keys: vec![KeyField::exact(1, "$sid", 16)],
        actions: vec![normal],
        data: vec![
            field(f::ENABLE, "$session_enable", FieldType::Bool(None)),
            field(f::DIRECTION, "$direction", FieldType::Text(DIRECTIONS)),
            field(f::PORT, "$ucast_egress_port", uint(32)),
            field(f::PORT_VALID, "$ucast_egress_port_valid", FieldType::Bool(None)),
            field(f::QUEUE, "$egress_port_queue", uint(32)),
            field(f::INGRESS_COS, "$ingress_cos", uint(32)),
            field(f::COLOUR, "$packet_color", FieldType::Text(COLOURS)),
            field(f::LEVEL1_HASH, "$level1_mcast_hash", uint(32)),
            field(f::LEVEL2_HASH, "$level2_mcast_hash", uint(32)),
            field(f::GROUP_A, "$mcast_grp_a", uint(16)),
            field(f::GROUP_A_VALID, "$mcast_grp_a_valid", FieldType::Bool(None)),
            field(f::GROUP_B, "$mcast_grp_b", uint(16)),
            field(f::GROUP_B_VALID, "$mcast_grp_b_valid", FieldType::Bool(None)),
            field(f::L1_XID, "$mcast_l1_xid", uint(16)),
            field(f::L2_XID, "$mcast_l2_xid", uint(16)),
            field(f::RID, "$mcast_rid", uint(16)),
            field(f::COS_TO_CPU, "$icos_for_copy_to_cpu", uint(32)),
            field(f::TO_CPU, "$copy_to_cpu", FieldType::Bool(None)),
            field(f::MAX_LEN, "$max_pkt_len", uint(16)),
        ],
        ..Table::new("$mirror.cfg", ids::MIRROR, Object::MirrorSessions, "MirrorCfg", 1024)
    }
}

fn device() -> Table {
    use ids::device as f;
    Table {
        data: vec![
            DataField::new(f::SKU, "sku", FieldType::Text(&["UNKNOWN"])).read_only(),
            DataField::new(f::PIPES, "num_pipes", uint(32)).read_only(),
            DataField::new(f::MAX_PORTS, "num_max_ports", uint(32)).read_only(),
            DataField::new(f::FRONT_PORTS, "num_front_ports", uint(32)).read_only(),
            DataField::new(f::EXTERNAL_PORTS, "external_port_list", uint(32)).list().read_only(),
        ],
        ..Table::new("tf1.dev.device_configuration", ids::DEVICE, Object::Device, "DevConfigure", 1)
    }
}
