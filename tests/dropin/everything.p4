// A table of each kind, action profiles, counters, meters, registers, a value set, a hash.
#include <core.p4>
#include <v1model.p4>
#include "widths.h"

#ifndef DEFAULT_PORT
#define DEFAULT_PORT 1
#endif

header frame_t {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
}

struct headers_t {
    frame_t frame;
}

struct metadata_t {
    bit<16> hash;
    bit<4>  class;
}

parser Parse(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    value_set<bit<16>>(4) known;

    state start {
        packet.extract(hdr.frame);
        transition select(hdr.frame.type) {
            known: accept;
            default: accept;
        }
    }
}

control Verify(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control In(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    action drop() {
        mark_to_drop(sm);
    }

    // All tables run for each packet, whatever the ones before decided.
    @noWarn("drop-overwritten")
    action to(port_t port, bit<48> dst) {
        sm.egress_spec = port;
        hdr.frame.dst = dst;
    }

    action_selector(HashAlgorithm.crc16, 16, 10) paths;
    direct_counter(CounterType.packets_and_bytes) hits;
    direct_meter<bit<4>>(MeterType.packets) colours;
    counter(CELLS, CounterType.packets_and_bytes) frames;
    meter(CELLS, MeterType.bytes) rates;
    register<bit<48>>(CELLS) seen;

    action coloured() {
        colours.read(meta.class);
    }

    table exactly {
        key = {
            hdr.frame.isValid(): exact;
            hdr.frame.dst: exact;
        }
        actions = { to; drop; }
        counters = hits;
        support_timeout = true;
        size = 4;
        default_action = drop();
    }

    table prefixes {
        key = { hdr.frame.src: lpm; }
        actions = { to; drop; }
    }

    table rules {
        key = {
            hdr.frame.type: ternary;
            sm.ingress_port: range;
            hdr.frame.src: optional;
        }
        actions = { to; coloured; }
        meters = colours;
    }

    table chosen {
        key = {
            hdr.frame.type: exact;
            hdr.frame.src: selector;
        }
        actions = { to; drop; }
        implementation = paths;
    }

    apply {
        hash(meta.hash, HashAlgorithm.crc16_custom, 16w0, { hdr.frame.src }, 16w100);
        frames.count((bit<32>) meta.hash & (CELLS - 1));
        rates.execute_meter((bit<32>) meta.hash & (CELLS - 1), meta.class);
        seen.write(0, hdr.frame.src);
        sm.egress_spec = DEFAULT_PORT;
        exactly.apply();
        prefixes.apply();
        rules.apply();
        chosen.apply();
    }
}

control Out(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply { }
}

control Compute(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control Deparse(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.frame);
    }
}

V1Switch(Parse(), Verify(), In(), Out(), Compute(), Deparse()) main;
