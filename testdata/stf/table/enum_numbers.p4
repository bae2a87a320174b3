// Numbers in keysets for a serializable enum: in `select`, and in the entries of a table.
#include <v1model.p4>

enum bit<16> kind_t { Inner = 0x0800, Outer = 0x8100 }

header key_t {
    kind_t kind;
    bit<8> way;
    bit<8> found;
}

struct headers_t {
    key_t k;
}

struct metadata_t {
    bit<8> way;
}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.k);
        transition select(hdr.k.kind) {
            0x9100: first;
            kind_t.Outer: second;
            0x0800: third;
            default: accept;
        }
    }
    state first {
        meta.way = 1;
        transition accept;
    }
    state second {
        meta.way = 2;
        transition accept;
    }
    state third {
        meta.way = 3;
        transition accept;
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    action found(bit<8> what) {
        hdr.k.found = what;
    }
    table t {
        key = { hdr.k.kind: exact; }
        actions = { found; }
        default_action = found(0);
        const entries = {
            0x9100: found(1);
            kind_t.Outer: found(2);
            16w0x0800: found(3);
        }
    }

    apply {
        standard.egress_spec = 1;
        hdr.k.way = meta.way;
        t.apply();
    }
}

#include "../rest.p4"
