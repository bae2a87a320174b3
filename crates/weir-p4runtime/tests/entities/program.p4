// A program with an object of every kind that P4Runtime knows. The tests of entities run on it.

#include <core.p4>
#include <v1model.p4>

@p4runtime_translation("example.org/v1/PortId_t", 32)
type bit<9> PortId_t;
@p4runtime_translation("example.org/v1/Vrf_t", string)
@p4runtime_translation_mappings({{"", 0}, {"vrf-red", 1}, {"vrf-blue", 2}})
type bit<10> Vrf_t;

enum bit<8> Kind { REQUEST = 1, REPLY = 2 }

header flow_t {
    bit<16> port;
    bit<32> dst;
    bit<12> label;
    bit<4> rest;
    bit<128> wide;
}

@controller_header("packet_in")
header packet_in_t {
    bit<9> ingress_port;
    bit<7> reason;
    bit<32> queue;
}

@controller_header("packet_out")
header packet_out_t {
    bit<9> egress_port;
    @padding bit<7> unused;
}

struct headers_t {
    packet_in_t packet_in;
    packet_out_t packet_out;
    flow_t flow;
}

struct pair_t {
    bit<8> small;
    bit<24> large;
}

struct learned_t {
    bit<32> dst;
    bit<9> port;
}

struct metadata_t {
    PortId_t in_port;
    Vrf_t vrf;
    bit<2> colour;
    bit<2> direct_colour;
}

struct members_t {
    bit<16> port;
    @match(ternary) bit<12> label;
}

parser MyParser(packet_in packet, out headers_t hdr, inout metadata_t meta,
                inout standard_metadata_t standard) {
    value_set<bit<16>>(4) ports;
    value_set<members_t>(2) labels;
    state start {
        meta.in_port = (PortId_t) standard.ingress_port;
        packet.extract(hdr.flow);
        transition select(hdr.flow.port) {
            ports: inner;
            default: accept;
        }
    }
    state inner {
        transition select(hdr.flow.port, hdr.flow.label) {
            labels: accept;
            default: accept;
        }
    }
}

control MyVerify(inout headers_t hdr, inout metadata_t meta) {
    apply {}
}

control MyIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    counter(8, CounterType.packets_and_bytes) hits;
    meter(4, MeterType.packets) rate;
    register<bit<32>>(4) cells;
    register<pair_t>(2) pairs;
    direct_counter(CounterType.packets_and_bytes) lpm_hits;
    direct_meter<bit<2>>(MeterType.bytes) lpm_rate;
    action_profile(4) profile;
    action_selector(HashAlgorithm.crc16, 16, 14) selector;

    action drop() {
        mark_to_drop(standard);
    }
    // All tables run for each packet, whatever the ones before decided.
    @noWarn("drop-overwritten")
    action forward(bit<9> port) {
        standard.egress_spec = port;
    }
    @noWarn("drop-overwritten")
    action send(PortId_t port, bit<128> wide) {
        standard.egress_spec = (bit<9>) port;
        hdr.flow.wide = wide;
    }
    action enter(Vrf_t vrf) {
        meta.vrf = vrf;
    }
    action for_entries() {}
    action for_default() {}

    table exact_match {
        key = { hdr.flow.port: exact; hdr.flow.wide: exact; }
        actions = { drop; forward; send; @tableonly for_entries; @defaultonly for_default; }
        default_action = drop();
        size = 4;
    }
    table lpm_match {
        key = { hdr.flow.dst: lpm; }
        actions = { drop; forward; }
        default_action = drop();
        counters = lpm_hits;
        meters = lpm_rate;
    }
    table ternary_match {
        key = {
            hdr.flow.label: ternary @name("label");
            hdr.flow.port: range @name("port");
            hdr.flow.dst: optional @name("dst");
        }
        actions = { drop; forward; }
        const default_action = drop();
    }
    table fixed {
        key = { hdr.flow.port: exact; hdr.flow.label: ternary; }
        actions = { drop; forward; }
        const entries = {
            (1, 0x10 &&& 0xff0): forward(1);
            (2, _): forward(2);
        }
    }
    table started {
        key = { hdr.flow.port: exact; }
        actions = { drop; forward; }
        entries = {
            const 1: forward(1);
            2: forward(2);
        }
        size = 8;
    }
    table timed {
        key = { hdr.flow.port: exact; }
        actions = { drop; forward; }
        support_timeout = true;
    }
    table translated {
        key = { meta.in_port: exact; meta.vrf: optional; }
        actions = { send; enter; NoAction; }
    }
    table keyless {
        actions = { drop; forward; }
        default_action = forward(7);
    }
    table indirect {
        key = { hdr.flow.port: exact; }
        actions = { drop; forward; }
        implementation = profile;
    }
    table grouped {
        key = { hdr.flow.port: exact; hdr.flow.dst: selector; }
        actions = { drop; forward; @groupaction send; }
        implementation = selector;
    }
    apply {
        exact_match.apply();
        lpm_match.apply();
        ternary_match.apply();
        fixed.apply();
        started.apply();
        timed.apply();
        translated.apply();
        keyless.apply();
        indirect.apply();
        grouped.apply();
        hits.count(1);
        rate.execute_meter(1, meta.colour);
        lpm_rate.read(meta.direct_colour);
        bit<32> cell;
        cells.read(cell, 0);
        cells.write(0, cell + 1);
        pair_t pair;
        pairs.read(pair, 0);
        pairs.write(0, pair);
        learned_t learned = { hdr.flow.dst, standard.ingress_port };
        digest(1, learned);
    }
}

control MyEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {}
}

control MyCompute(inout headers_t hdr, inout metadata_t meta) {
    apply {}
}

control MyDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr);
    }
}

V1Switch(MyParser(), MyVerify(), MyIngress(), MyEgress(), MyCompute(), MyDeparser()) main;
