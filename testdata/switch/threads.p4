/* What packets on several threads share: two tables that change together, counters, meters, registers that are read and written. */
#include <core.p4>
#include <v1model.p4>

#define CLONED 1

header probe_t {
    bit<8> what;
    bit<32> key;
    bit<32> first;
    bit<32> second;
    bit<48> number;
    bit<32> colour;
}

struct headers_t {
    probe_t probe;
}

struct metadata_t {}

struct pair_t {
    bit<48> count;
    bit<100> bytes;
}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.probe);
        transition accept;
    }
}

control V(inout headers_t hdr, inout metadata_t meta) {
    apply {}
}

@noWarn("drop-overwritten") control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    register<bit<48>>(4) totals;
    register<pair_t>(2) pairs;
    counter(8, CounterType.packets_and_bytes) by_port;
    meter(2, MeterType.packets) limit;
    direct_counter(CounterType.packets_and_bytes) met;

    action first(bit<32> value) {
        hdr.probe.first = value;
    }

    action second(bit<32> value) {
        hdr.probe.second = value;
    }

    table firsts {
        key = { hdr.probe.key: exact; }
        actions = { first; NoAction; }
        counters = met;
    }

    table seconds {
        key = { hdr.probe.key: lpm; }
        actions = { second; NoAction; }
    }

    action to(bit<9> port) {
        standard.egress_spec = port;
    }

    action drop() {
        mark_to_drop(standard);
    }

    table ports {
        key = { standard.ingress_port: exact; }
        actions = { to; drop; }
        default_action = drop();
    }

    apply {
        firsts.apply();
        seconds.apply();
        ports.apply();
        by_port.count((bit<32>) standard.ingress_port);
        limit.execute_meter(0, hdr.probe.colour);
        // Read, decide, look up, write: nobody may come in between.
        bit<48> total;
        totals.read(total, 1);
        if (hdr.probe.what != 0xff) {
            total = total + 1;
            hdr.probe.number = total;
        }
        pair_t pair;
        pairs.read(pair, 1);
        pair.count = pair.count + 1;
        pair.bytes = pair.bytes + (1w1 ++ 99w0) + (bit<100>) standard.packet_length;
        pairs.write(1, pair);
        totals.write(1, total);
        if (hdr.probe.what == 1) {
            standard.mcast_grp = 1;
        } else if (hdr.probe.what == 2) {
            clone(CloneType.I2E, CLONED);
        } else if (hdr.probe.what == 3) {
            hdr.probe.what = 0;
            recirculate_preserving_field_list(0);
        } else if (hdr.probe.what == 4 && standard.instance_type == 0) {
            resubmit_preserving_field_list(0);
        } else if (hdr.probe.what == 5) {
            digest<bit<32>>(7, hdr.probe.key);
        } else if (hdr.probe.what == 6) {
            standard.egress_spec = 77;
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
        packet.emit(hdr.probe);
    }
}

V1Switch(P(), V(), I(), E(), U(), D()) main;
