// Constant entries: of exact and lpm tables their order does not matter, of others the first one that matches wins.
#include <v1model.p4>

header key_t {
    bit<8> which;
    bit<8> key;
    bit<8> found;
}

struct headers_t {
    key_t k;
}

struct metadata_t {}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.k);
        transition accept;
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    action found(bit<8> what) {
        hdr.k.found = what;
    }
    table by_exact {
        key = { hdr.k.key: exact; }
        actions = { found; }
        const entries = {
            1: found(1);
            2: found(2);
        }
    }
    table by_prefix {
        key = { hdr.k.key: lpm; }
        actions = { found; }
        const entries = {
            0x10 &&& 0xf0: found(1);
            0x12: found(2);
            _: found(3);
            0x14 &&& 0xfc: found(4);
        }
    }
    @noWarn("covered-entry") table by_mask {
        key = { hdr.k.key: ternary; }
        actions = { found; }
        const entries = {
            0x10 &&& 0xf0: found(1);
            0x12: found(2);
            0x03 &&& 0x0f: found(3);
        }
    }
    @noWarn("covered-entry") table by_range {
        key = { hdr.k.key: range; }
        actions = { found; }
        const entries = {
            10 .. 20: found(1);
            15: found(2);
            5 .. 30: found(3);
        }
    }

    apply {
        standard.egress_spec = 1;
        if (hdr.k.which == 0) {
            by_exact.apply();
        } else if (hdr.k.which == 1) {
            by_prefix.apply();
        } else if (hdr.k.which == 2) {
            by_mask.apply();
        } else {
            by_range.apply();
        }
    }
}

#include "../rest.p4"
