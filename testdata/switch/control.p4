/* One of each thing that a control plane can read and change. */
#include <core.p4>
#include <v1model.p4>

header request_t {
    bit<8> what;     // which part of ingress answers
    bit<8> index;
    bit<16> value;
    bit<32> answer;
}

header note_t {
    bit<16> a;
    bit<40> b;
}

struct headers_t {
    request_t request;
    note_t note;
}

struct metadata_t {}

struct pair_t {
    bit<8> first;
    bit<100> second;
}

struct noted_t {
    bit<8> what;
    @match(ternary)
    bit<8> index;
}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    value_set<noted_t>(3) noted;
    value_set<bit<16>>(2) dropped;

    state start {
        packet.extract(hdr.request);
        transition select(hdr.request.what, hdr.request.index) {
            noted: with_note;
            default: known;
        }
    }
    state with_note {
        packet.extract(hdr.note);
        transition known;
    }
    state known {
        transition select(hdr.request.value) {
            dropped: reject;
            default: accept;
        }
    }
}

control V(inout headers_t hdr, inout metadata_t meta) {
    apply {}
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    counter(8, CounterType.packets_and_bytes) both;
    counter(8, CounterType.packets) packets;
    counter(8, CounterType.bytes) bytes;
    register<bit<48>>(4) number;
    register<pair_t>(4) pair;
    register<note_t>(4) note;
    meter(4, MeterType.packets) by_packets;
    meter(4, MeterType.bytes) by_bytes;
    direct_counter(CounterType.packets_and_bytes) hits;
    direct_meter<bit<32>>(MeterType.bytes) pace;
    action_selector(HashAlgorithm.crc32, 32w8, 32w2) ways;
    action_profile(2) places;

    action to(bit<9> port) {
        standard.egress_spec = port;
    }
    action answer(bit<32> what) {
        hdr.request.answer = what;
    }
    action paced() {
        pace.read(hdr.request.answer);
    }
    action drop() {
        mark_to_drop(standard);
    }

    table all_kinds {
        key = {
            hdr.request.what: exact;
            hdr.request.index: ternary;
            hdr.request.value: range @name("value");
            standard.ingress_port: optional @name("from");
            hdr.request.answer: lpm;
        }
        actions = { to; answer; @defaultonly drop; @tableonly NoAction; }
        default_action = drop();
        counters = hits;
        size = 6;
    }
    table prefixes {
        key = { hdr.request.answer: lpm; }
        actions = { to; answer; paced; drop; }
        default_action = answer(7);
        meters = pace;
        support_timeout = true;
    }
    table fixed {
        key = { hdr.request.index: exact; }
        actions = { answer; NoAction; }
        const default_action = NoAction();
        const entries = {
            1: answer(11);
            2: answer(22);
        }
    }
    table balance {
        key = {
            hdr.request.index: exact;
            hdr.request.value: selector;
        }
        actions = { to; drop; }
        default_action = drop();
        implementation = ways;
    }
    table place {
        key = { hdr.request.index: exact; }
        actions = { to; answer; }
        implementation = places;
        default_action = answer(5);
    }
    table no_key {
        actions = { answer; NoAction; }
        default_action = NoAction();
    }

    apply {
        standard.egress_spec = 1;
        bit<32> index = (bit<32>) hdr.request.index;
        pair_t found;
        bit<48> old;
        switch (hdr.request.what) {
            1: {
                both.count(index);
                packets.count(index);
                bytes.count(index);
            }
            2: {
                number.read(old, index);
                number.write(index, (bit<48>) hdr.request.value);
                hdr.request.answer = (bit<32>) old;
            }
            3: { pair.write(index, { hdr.request.value[7:0], (bit<100>) hdr.request.answer }); }
            4: {
                pair.read(found, index);
                hdr.request.answer = (bit<32>) found.second;
            }
            5: { note.write(index, hdr.note); }
            6: { note.read(hdr.note, index); }
            7: { by_packets.execute_meter(index, hdr.request.answer); }
            8: { by_bytes.execute_meter(index, hdr.request.answer); }
            9: { all_kinds.apply(); }
            10: { prefixes.apply(); }
            11: { fixed.apply(); }
            12: { balance.apply(); }
            13: { place.apply(); }
            14: { no_key.apply(); }
            15: { hash(hdr.request.answer, HashAlgorithm.crc16_custom, 32w0, { hdr.request.value }, 32w0x10000); }
            16: { hash(hdr.request.answer, HashAlgorithm.crc32_custom, 32w0, { hdr.request.value }, 33w0x100000000); }
            17: { standard.mcast_grp = hdr.request.value; }
            18: { clone(CloneType.I2E, (bit<32>) hdr.request.value); }
            19: { digest(1, hdr.request); }
        }
    }
}

control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {}
}

control U(inout headers_t hdr, inout metadata_t meta) {
    apply {}
}

control D(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr);
    }
}

V1Switch(P(), V(), I(), E(), U(), D()) main;
