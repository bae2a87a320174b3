/* One table, object or action of each kind that runtime commands name. */
#include <core.p4>
#include <v1model.p4>

header key_t {
    bit<8> kind;
    bit<16> half;
    bit<32> address;
    bit<48> mac;
    bit<128> long;
    bit<12> odd;
    bit<4> pad;
}

struct headers {
    key_t key;
}

struct meta {
    bit<2> color;
    bit<48> old;
}

parser P(packet_in packet, out headers h, inout meta m, inout standard_metadata_t s) {
    @name("sizes") value_set<bit<16>>(4) sizes;
    state start {
        packet.extract(h.key);
        transition select(h.key.half) {
            sizes: other;
            default: accept;
        }
    }
    state other {
        m.color = 1;
        transition accept;
    }
}

control V(inout headers h, inout meta m) {
    apply {}
}

control I(inout headers h, inout meta m, inout standard_metadata_t s) {
    counter(4, CounterType.packets_and_bytes) seen;
    direct_counter(CounterType.packets_and_bytes) hits;
    register<bit<48>>(4) stamps;
    register<bit<8>>(2) bytes;
    meter(4, MeterType.packets) rate;
    meter(4, MeterType.bytes) volume;
    direct_meter<bit<2>>(MeterType.packets) pace;
    action_profile(4) hops;
    action_selector(HashAlgorithm.crc16, 32w8, 32w10) paths;

    // All tables run for each packet, whatever the ones before decided.
    @noWarn("drop-overwritten")
    action forward(bit<9> port) {
        s.egress_spec = port;
    }
    action rewrite(bit<48> mac, bit<12> odd) {
        h.key.mac = mac;
        h.key.odd = odd;
    }
    action move(bit<128> long) {
        h.key.long = long;
    }
    action measure() {
        pace.read(m.color);
    }
    action discard() {
        mark_to_drop(s);
    }
    action nothing() {}

    table exact_keys {
        key = {
            h.key.kind: exact;
            h.key.mac: exact;
        }
        actions = { forward; rewrite; move; discard; nothing; }
        default_action = nothing();
        counters = hits;
    }
    table full {
        key = {
            h.key.kind: exact;
        }
        actions = { forward; nothing; }
        default_action = nothing();
        size = 2;
    }
    table prefix {
        key = {
            h.key.address: lpm;
        }
        actions = { forward; measure; discard; }
        default_action = discard();
        meters = pace;
    }
    table long_prefix {
        key = {
            h.key.long: lpm;
            h.key.kind: exact;
        }
        actions = { forward; nothing; }
        default_action = nothing();
    }
    table masks {
        key = {
            h.key.kind: ternary;
            h.key.half: ternary;
        }
        actions = { forward; discard; nothing; }
        default_action = nothing();
    }
    table ranges {
        key = {
            h.key.half: range;
            h.key.odd: exact;
        }
        actions = { forward; nothing; }
        default_action = nothing();
    }
    table maybe {
        key = {
            h.key.kind: optional;
            s.ingress_port: exact;
        }
        actions = { forward; nothing; }
        default_action = nothing();
    }
    table valid {
        key = {
            h.key.isValid(): exact;
        }
        actions = { forward; nothing; }
        default_action = nothing();
    }
    table ages {
        key = {
            h.key.kind: exact;
        }
        actions = { forward; nothing; }
        default_action = nothing();
        support_timeout = true;
    }
    table fixed {
        key = {
            h.key.kind: exact;
        }
        actions = { forward; nothing; }
        const default_action = nothing();
        const entries = {
            1: forward(1);
            2: forward(2);
        }
    }
    table begun {
        key = {
            h.key.kind: exact;
        }
        actions = { forward; nothing; }
        default_action = nothing();
        entries = {
            1: forward(1);
            2: forward(2);
        }
    }
    table limited {
        key = {
            h.key.kind: exact;
        }
        actions = {
            nothing;
            @tableonly forward;
            @defaultonly discard;
        }
        default_action = discard();
    }
    table no_key {
        actions = { forward; nothing; }
        default_action = nothing();
    }
    table by_hop {
        key = {
            h.key.kind: exact;
        }
        actions = { forward; nothing; }
        implementation = hops;
    }
    table by_path {
        key = {
            h.key.kind: exact;
            h.key.address: selector;
        }
        actions = { forward; nothing; }
        implementation = paths;
    }

    apply {
        bit<32> index = (bit<32>) h.key.kind[1:0];
        bit<8> before;
        seen.count(index);
        stamps.read(m.old, index);
        stamps.write(index, m.old + 1);
        bytes.read(before, index);
        bytes.write(index, before + 1);
        rate.execute_meter(index, m.color);
        volume.execute_meter(index, m.color);
        exact_keys.apply();
        full.apply();
        prefix.apply();
        long_prefix.apply();
        masks.apply();
        ranges.apply();
        maybe.apply();
        valid.apply();
        ages.apply();
        fixed.apply();
        begun.apply();
        limited.apply();
        no_key.apply();
        by_hop.apply();
        by_path.apply();
        hash(h.key.half, HashAlgorithm.crc16_custom, 16w0, { h.key.address }, 32w65536);
    }
}

control E(inout headers h, inout meta m, inout standard_metadata_t s) {
    apply {
        h.key.half = s.egress_rid ^ (bit<16>) m.color;
    }
}

control U(inout headers h, inout meta m) {
    apply {}
}

control D(packet_out packet, in headers h) {
    apply {
        packet.emit(h);
    }
}

V1Switch(P(), V(), I(), E(), U(), D()) main;
