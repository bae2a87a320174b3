/* Tables with entries of their own: constant ones, initial ones, priorities, prefixes, keys of many widths. */
#include <core.p4>
#include <v1model.p4>

header key_t {
    bit<8> which;
    bit<16> a;
    bit<200> wide;
    bit<8> found;
    bit<8> hit;
}

struct headers_t {
    key_t key;
}

struct metadata_t {}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.key);
        transition accept;
    }
}

control V(inout headers_t hdr, inout metadata_t meta) {
    apply {}
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    action found(bit<8> what) {
        hdr.key.found = what;
    }

    action none() {
        hdr.key.found = 255;
    }

    /* The larger number wins, as the control plane sees it. */
    table by_priority {
        key = { hdr.key.a: ternary; hdr.key.wide: optional; }
        actions = { found; @defaultonly none; }
        default_action = none();
        entries = {
            const priority = 10: (0x0100 &&& 0xff00, _): found(1);
            priority = 20: (0x0101 &&& 0x0fff, _): found(2);
            (0x0103, 200w7): found(3);
        }
        size = 5;
    }

    /* The smaller number wins. */
    table least_first {
        key = { hdr.key.a: range; }
        actions = { found; @tableonly none; NoAction; }
        default_action = found(9);
        largest_priority_wins = false;
        entries = {
            priority = 1: 5 .. 10: found(1);
            priority = 2: 0 .. 100: found(2);
        }
    }

    table by_prefix {
        key = { hdr.key.a: lpm; hdr.key.which: exact; }
        actions = { found; none; }
        const default_action = none();
        entries = {
            (0x0a00 &&& 0xff00, 3): found(8);
            (0x0a0b, 3): found(16);
            (_, 3): found(1);
        }
    }

    table by_all_bits {
        key = { hdr.key.wide: exact; hdr.key.a: exact; }
        actions = { found; none; }
        default_action = none();
        const entries = {
            (200w1 << 199, 1): found(1);
            (200w1, 1): found(2);
        }
    }

    apply {
        standard.egress_spec = 1;
        bool hit = false;
        if (hdr.key.which == 1) {
            hit = by_priority.apply().hit;
        } else if (hdr.key.which == 2) {
            hit = !least_first.apply().miss;
        } else if (hdr.key.which == 3) {
            switch (by_prefix.apply().action_run) {
                found: { hit = true; }
                none: { hit = false; }
            }
        } else {
            hit = by_all_bits.apply().hit;
        }
        hdr.key.hit = hit ? 8w1 : 0;
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
