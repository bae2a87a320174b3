// Keys of `select`: their types, and numbers next to ranges.
#include <core.p4>
#include <v1model.p4>

type bit<9> port_t;
header probe_t {
    bit<8> kind;
    bit<16> count;
    int<16> level;
}
header item_t { bit<8> kind; }
struct headers_t { probe_t probe; item_t[4] items; }
struct meta_t { bit<8> mark; bit<32> last; port_t port; }

parser Parse(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.probe);
        transition select(meta.port) { //! select-type
            (port_t)2: one;
            default: one;
        }
    }
    state one {
        transition select(hdr.probe.kind, sm.parser_error) { //! select-type
            (1, error.NoError): two;
            default: two;
        }
    }
    state two {
        packet.extract(hdr.items.next);
        transition select(hdr.items.lastIndex) { //! last-index-key
            2: three;
            default: two;
        }
    }
    state three {
        meta.last = hdr.items.lastIndex;
        transition select(meta.last, hdr.items.last.kind) { //! last-index-key
            (0, 1): four;
            default: four;
        }
    }
    state four {
        transition select((bit<8>)hdr.items.lastIndex, hdr.items.lastIndex + 1) {
            (0, 1): five;
            default: five;
        }
    }
    state five {
        transition select(hdr.probe.level) {
            -1: six; //! signed-range
            1 .. 5: seven;
            default: six;
        }
    }
    state six {
        transition select(hdr.probe.level) {
            -1: seven;
            1: accept;
            default: seven;
        }
    }
    state seven {
        transition select(hdr.probe.level, hdr.probe.kind) {
            (-3 .. 2, 1): eight;
            (3 .. 4, 1): eight;
            default: eight;
        }
    }
    state eight {
        transition select(hdr.probe.level) {
            -1 &&& 3: accept; //! negative-mask
            default: accept;
        }
    }
}
control Verify(inout headers_t hdr, inout meta_t meta) { apply { } }
control Enter(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 2;
        hdr.probe.kind = meta.mark + (bit<8>)meta.last;
    }
}
control Leave(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) { apply { } }
control Update(inout headers_t hdr, inout meta_t meta) { apply { } }
control Deparse(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr);
    }
}
V1Switch(Parse(), Verify(), Enter(), Leave(), Update(), Deparse()) main;
