// Header stacks in parsers.
#include <core.p4>
#include <v1model.p4>

header item_t { bit<8> kind; }
struct headers_t { item_t[4] items; item_t[4] others; }
struct meta_t { bit<8> mark; }

parser Parse(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start {
        transition select(packet.lookahead<bit<8>>()) {
            1: one;
            default: two;
        }
    }
    state one {
        packet.extract(hdr.items.next);
        meta.mark = hdr.items.last.kind;
        hdr.items.push_front(1); //! stack-in-parser
        transition two;
    }
    state two {
        transition select(hdr.items.last.kind) { //! empty-last
            1: three;
            default: accept;
        }
    }
    state three {
        meta.mark = meta.mark + hdr.others.last.kind; //! empty-last
        packet.extract(hdr.others.next);
        hdr.others.pop_front(1); //! stack-in-parser
        transition select(hdr.others.last.kind) {
            1: accept;
            default: accept;
        }
    }
}
control Verify(inout headers_t hdr, inout meta_t meta) { apply { } }
control Enter(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 2;
        hdr.items.pop_front(1);
        hdr.items[0].kind = meta.mark;
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
