//! The tables that every switch has ("BfRt schema 1.0": tables of the device, whose numbers begin
//! with 0xff). They list the fields that the switch has; others are left out.

use weir_switch::arch::Chip;

use super::{Action, DataField, FieldType, KeyField, Object, Table, generators, numbered};

/// The numbers of tables and of their fields.
pub mod ids {
    /// The table of ports.
    pub const PORT: u32 = 0xff01_0001;
    /// The table of ports' counts.
    pub const PORT_STAT: u32 = 0xff01_0002;
    /// The table of ports by connector and channel.
    pub const PORT_HANDLE: u32 = 0xff01_0003;
    /// The table of ports by name.
    pub const PORT_NAMED: u32 = 0xff01_0005;
    /// The table of multicast groups.
    pub const MGID: u32 = 0xff02_0001;
    /// The table of multicast nodes.
    pub const NODE: u32 = 0xff02_0002;
    /// The table of ECMP groups of multicast nodes.
    pub const ECMP: u32 = 0xff02_0003;
    /// The table of link aggregation groups of multicast nodes.
    pub const LAG: u32 = 0xff02_0004;
    /// The table of ports that get no copies.
    pub const PRUNE: u32 = 0xff02_0005;
    /// The table of the ports' settings for multicast.
    pub const PRE_PORT: u32 = 0xff02_0006;
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
        /// The ECMP groups.
        pub const ECMPS: u32 = 4;
        /// Whether each ECMP group has an exclusion id.
        pub const ECMP_XID_VALID: u32 = 5;
        /// The exclusion id of each ECMP group.
        pub const ECMP_XID: u32 = 6;
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

    /// The fields of a link aggregation group.
    pub mod lag {
        /// The ports.
        pub const PORTS: u32 = 1;
        /// The number of ports of other switches after those of this switch.
        pub const MSB_COUNT: u32 = 2;
        /// The number of ports of other switches before those of this switch.
        pub const LSB_COUNT: u32 = 3;
    }

    /// The fields of a port's settings for multicast.
    pub mod pre_port {
        /// The port that stands in for it.
        pub const BACKUP: u32 = 1;
        /// Whether the port is up for multicast.
        pub const FORWARDS: u32 = 2;
        /// Whether the port is up again after a failure.
        pub const CLEARS_FAILOVER: u32 = 3;
        /// Whether packets for the CPU are copied to the port.
        pub const IS_OF_CPU: u32 = 4;
    }

    /// The nodes of an ECMP group, and the ports of a level 2 exclusion id.
    pub const ITEMS: u32 = 1;
    /// The action of mirror sessions.
    pub const NORMAL: u32 = 2;
    /// The port that an entry leads to.
    pub const FOUND_PORT: u32 = 1;
}

const DIRECTIONS: &[&str] = &["INGRESS", "EGRESS", "BOTH"];
const COLOURS: &[&str] = &["GREEN", "YELLOW", "RED"];
const SPEEDS: &[&str] = &[
    "BF_SPEED_NONE",
    "BF_SPEED_1G",
    "BF_SPEED_10G",
    "BF_SPEED_25G",
    "BF_SPEED_40G",
    "BF_SPEED_40G_NB",
    "BF_SPEED_40G_NON_BREAKABLE",
    "BF_SPEED_50G",
    "BF_SPEED_100G",
    "BF_SPEED_200G",
    "BF_SPEED_400G",
];
const CORRECTIONS: &[&str] =
    &["BF_FEC_TYP_NONE", "BF_FEC_TYP_FIRECODE", "BF_FEC_TYP_REED_SOLOMON", "BF_FEC_TYP_FC", "BF_FEC_TYP_RS"];
const NEGOTIATIONS: &[&str] = &["PM_AN_DEFAULT", "PM_AN_FORCE_ENABLE", "PM_AN_FORCE_DISABLE"];
/// The only choice, because ports of the switch have no loopback mode.
const LOOPBACKS: &[&str] = &["BF_LPBK_NONE"];
const MEDIA: &[&str] = &["BF_MEDIA_TYPE_COPPER", "BF_MEDIA_TYPE_OPTICAL", "BF_MEDIA_TYPE_UNKNOWN"];
const PRODUCTS: [&[&str]; 2] = [&["UNKNOWN", "BFN-T10-032D"], &["UNKNOWN", "BFN-T20-128Q"]];

/// The default of a port's maximum packet size, in bytes.
const LARGEST_PACKET: u64 = 10240;

const fn uint(bits: u32) -> FieldType {
    FieldType::Uint(bits, None)
}

const fn flag(default: bool) -> FieldType {
    FieldType::Bool(Some(default))
}

fn read_only(fields: Vec<DataField>) -> Vec<DataField> {
    fields.into_iter().map(DataField::read_only).collect()
}

/// Returns the tables of a chip.
pub fn tables(chip: Chip) -> Vec<Table> {
    let of_device = vec![
        ports(),
        port_counts(),
        ports_by_connector(),
        ports_by_name(),
        multicast_groups(),
        multicast_nodes(),
        multicast_ecmps(),
        multicast_lags(chip),
        pruned_ports(),
        multicast_ports(),
        mirror_sessions(chip),
        device(chip),
    ];
    of_device.into_iter().chain(generators::tables(chip)).collect()
}

fn ports() -> Table {
    let mut data = numbered(
        1,
        [
            ("$SPEED", FieldType::Text(SPEEDS)),
            ("$FEC", FieldType::Text(CORRECTIONS)),
            ("$N_LANES", FieldType::Uint(32, Some(1))),
            ("$PORT_ENABLE", flag(false)),
            ("$AUTO_NEGOTIATION", FieldType::Text(NEGOTIATIONS)),
            ("$LOOPBACK_MODE", FieldType::Text(LOOPBACKS)),
            ("$TX_MTU", FieldType::Uint(32, Some(LARGEST_PACKET))),
            ("$RX_MTU", FieldType::Uint(32, Some(LARGEST_PACKET))),
        ],
    );
    data.extend(read_only(numbered(15, [("$MEDIA_TYPE", FieldType::Text(MEDIA))])));
    data.extend(read_only(numbered(
        21,
        [
            ("$IS_VALID", FieldType::Bool(None)),
            ("$IS_INTERNAL", FieldType::Bool(None)),
            ("$CONN_ID", uint(32)),
            ("$CHNL_ID", uint(32)),
            ("$PORT_UP", FieldType::Bool(None)),
            ("$PORT_NAME", FieldType::Text(&[])),
        ],
    )));
    Table {
        keys: vec![KeyField::exact(1, "$DEV_PORT", 32)],
        data,
        attributes: vec!["port_status_notif_cb"],
        ..Table::new("$PORT", ids::PORT, Object::Ports, "PortConfigure", 512)
    }
}

/// The counts of a port that the switch has, with their numbers. The others would need frames with
/// errors, which no interface delivers.
const COUNTS: [(u32, &str); 8] = [
    (1, "$FramesReceivedOK"),
    (2, "$FramesReceivedAll"),
    (5, "$OctetsReceivedinGoodFrames"),
    (6, "$OctetsReceived"),
    (33, "$FramesTransmittedOK"),
    (34, "$FramesTransmittedAll"),
    (36, "$OctetsTransmittedwithouterror"),
    (37, "$OctetsTransmittedTotal"),
];

fn port_counts() -> Table {
    let count = |(id, name)| DataField::new(id, name, FieldType::Uint(64, Some(0))).read_only();
    Table {
        keys: vec![KeyField::exact(1, "$DEV_PORT", 32)],
        data: COUNTS.map(count).to_vec(),
        ..Table::new("$PORT_STAT", ids::PORT_STAT, Object::PortCounts, "PortStat", 512)
    }
}

fn ports_by_connector() -> Table {
    Table {
        keys: vec![KeyField::exact(1, "$CONN_ID", 32), KeyField::exact(2, "$CHNL_ID", 32)],
        data: read_only(numbered(ids::FOUND_PORT, [("$DEV_PORT", uint(32))])),
        ..Table::new("$PORT_HDL_INFO", ids::PORT_HANDLE, Object::PortsByConnector, "PortHdlInfo", 512)
    }
}

fn ports_by_name() -> Table {
    let name = KeyField { ty: FieldType::Text(&[]), ..KeyField::exact(1, "$PORT_NAME", 0) };
    Table {
        keys: vec![name],
        data: read_only(numbered(ids::FOUND_PORT, [("$DEV_PORT", uint(32))])),
        ..Table::new("$PORT_STR_INFO", ids::PORT_NAMED, Object::PortsByName, "PortStrInfo", 512)
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
            DataField::new(f::ECMPS, "$MULTICAST_ECMP_ID", uint(32)).list(),
            DataField::new(f::ECMP_XID_VALID, "$MULTICAST_ECMP_L1_XID_VALID", FieldType::Bool(None)).list(),
            DataField::new(f::ECMP_XID, "$MULTICAST_ECMP_L1_XID", uint(16)).list(),
        ],
        attributes: vec!["pre_device_config"],
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

fn multicast_ecmps() -> Table {
    Table {
        keys: vec![KeyField::exact(1, "$MULTICAST_ECMP_ID", 32)],
        data: vec![DataField::new(ids::ITEMS, "$MULTICAST_NODE_ID", uint(32)).list().mandatory()],
        ..Table::new("$pre.ecmp", ids::ECMP, Object::MulticastEcmps, "PreEcmp", 1 << 24)
    }
}

fn multicast_lags(chip: Chip) -> Table {
    use ids::lag as f;
    let size = match chip {
        Chip::Tofino1 => 255,
        Chip::Tofino2 => 256,
    };
    let count = FieldType::Uint(32, Some(0));
    Table {
        keys: vec![KeyField::exact(1, "$MULTICAST_LAG_ID", 8)],
        data: vec![
            DataField::new(f::PORTS, "$DEV_PORT", uint(32)).list(),
            DataField::new(f::MSB_COUNT, "$MULTICAST_LAG_REMOTE_MSB_COUNT", count),
            DataField::new(f::LSB_COUNT, "$MULTICAST_LAG_REMOTE_LSB_COUNT", count),
        ],
        ..Table::new("$pre.lag", ids::LAG, Object::MulticastLags, "PreLag", size)
    }
}

fn pruned_ports() -> Table {
    Table {
        keys: vec![KeyField::exact(1, "$MULTICAST_L2_XID", 16)],
        data: vec![DataField::new(ids::ITEMS, "$DEV_PORT", uint(32)).list().mandatory()],
        ..Table::new("$pre.prune", ids::PRUNE, Object::PrunedPorts, "PrePrune", 288)
    }
}

fn multicast_ports() -> Table {
    use ids::pre_port as f;
    Table {
        keys: vec![KeyField::exact(1, "$DEV_PORT", 32)],
        data: vec![
            DataField::new(f::BACKUP, "$MULTICAST_BACKUP_PORT", uint(32)),
            DataField::new(f::FORWARDS, "$MULTICAST_FORWARD_STATE", FieldType::Bool(None)),
            DataField::new(f::CLEARS_FAILOVER, "$MULTICAST_CLEAR_FAST_FAILOVER", FieldType::Bool(None)),
            DataField::new(f::IS_OF_CPU, "$COPY_TO_CPU_PORT_ENABLE", FieldType::Bool(None)),
        ],
        ..Table::new("$pre.port", ids::PRE_PORT, Object::MulticastPorts, "PrePort", 288)
    }
}

fn mirror_sessions(chip: Chip) -> Table {
    let normal =
        Action { name: "$normal".to_owned(), id: ids::NORMAL, action: None, scope: None, data: Vec::new() };
    let (first, size) = match chip {
        Chip::Tofino1 => (5, 1024),
        Chip::Tofino2 => (6, 256),
    };
    let mut data = numbered(first, [("$session_enable", flag(false))]);
    if chip == Chip::Tofino2 {
        data.extend(numbered(
            7,
            [
                ("$session_priority", flag(false)),
                ("$hash_cfg_flag", flag(false)),
                ("$hash_cfg_flag_p", flag(false)),
                ("$icos_cfg_flag", flag(false)),
                ("$dod_cfg_flag", flag(false)),
                ("$c2c_cfg_flag", flag(false)),
                ("$mc_cfg_flag", flag(false)),
                ("$epipe_cfg_flag", flag(false)),
            ],
        ));
    }
    data.extend(numbered(
        first + data.len() as u32,
        [
            ("$direction", FieldType::Text(DIRECTIONS)),
            ("$ucast_egress_port", uint(32)),
            ("$ucast_egress_port_valid", flag(false)),
            ("$egress_port_queue", uint(32)),
            ("$ingress_cos", uint(32)),
            ("$packet_color", FieldType::Text(COLOURS)),
            ("$level1_mcast_hash", uint(32)),
            ("$level2_mcast_hash", uint(32)),
            ("$mcast_grp_a", uint(16)),
            ("$mcast_grp_a_valid", flag(false)),
            ("$mcast_grp_b", uint(16)),
            ("$mcast_grp_b_valid", flag(false)),
            ("$mcast_l1_xid", uint(16)),
            ("$mcast_l2_xid", uint(16)),
            ("$mcast_rid", uint(16)),
            ("$icos_for_copy_to_cpu", uint(32)),
            ("$copy_to_cpu", flag(false)),
            ("$max_pkt_len", uint(16)),
        ],
    ));
    Table {
        keys: vec![KeyField::exact(1, "$sid", 16)],
        actions: vec![normal],
        data,
        ..Table::new("$mirror.cfg", ids::MIRROR, Object::MirrorSessions, "MirrorCfg", size)
    }
}

fn device(chip: Chip) -> Table {
    let (family, products) = match chip {
        Chip::Tofino1 => ("tf1", PRODUCTS[0]),
        Chip::Tofino2 => ("tf2", PRODUCTS[1]),
    };
    let numbers = numbered(
        1,
        [
            ("sku", FieldType::Text(products)),
            ("num_pipes", uint(32)),
            ("num_stages", uint(32)),
            ("num_max_ports", uint(32)),
            ("num_front_ports", uint(32)),
            ("pcie_cpu_port", uint(32)),
        ],
    );
    let lists = numbered(
        7,
        [
            ("eth_cpu_port_list", uint(32)),
            ("internal_port_list", uint(32)),
            ("external_port_list", uint(32)),
            ("recirc_port_list", uint(32)),
        ],
    );
    let lists = lists.into_iter().map(DataField::list);
    let links = numbered(11, [("intr_based_link_monitoring", flag(false))]);
    let settings = numbered(
        12,
        [
            ("flow_learn_intr_mode", flag(false)),
            ("lrt_dr_timeout_usec", FieldType::Uint(32, Some(0))),
            ("flow_learn_timeout_usec", FieldType::Uint(32, Some(500))),
            ("inactive_node_delete", flag(false)),
            ("selector_member_order", flag(false)),
        ],
    );
    let facts = read_only(numbers.into_iter().chain(lists).chain(links).collect());
    Table {
        data: facts.into_iter().chain(settings).collect(),
        ..Table::new(
            format!("{family}.dev.device_configuration"),
            ids::DEVICE,
            Object::Device,
            "DevConfigure",
            1,
        )
    }
}
