// A table that matches whether a header is valid, one whose entries are constant, and a selector.
#include <core.p4>
#include <v1model.p4>

header tag_t {
    bit<8> kind;
    bit<8> mark;
}

header more_t {
    bit<8> value;
}

struct headers_t {
    tag_t tag;
    more_t more;
}

struct metadata_t { }

parser Parse(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.tag);
        transition select(hdr.tag.kind) {
            1: more;
            default: accept;
        }
    }
    state more {
        packet.extract(hdr.more);
        transition accept;
    }
}

control Verify(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control In(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    action mark(bit<8> mark) {
        hdr.tag.mark = mark;
    }
    action to(bit<9> port) {
        standard.egress_spec = port;
    }
    table by_validity {
        key = { hdr.more.isValid(): exact; }
        actions = { mark; NoAction; }
        default_action = NoAction();
    }
    table fixed {
        key = { hdr.tag.kind: exact; }
        actions = { mark; NoAction; }
        const entries = { 9: mark(9); }
        default_action = NoAction();
    }
    table unchanged {
        key = { hdr.tag.kind: exact; }
        actions = { mark; NoAction; }
        const default_action = NoAction();
    }
    table ways {
        key = { hdr.tag.kind: exact; hdr.tag.mark: selector; }
        actions = { to; NoAction; }
        implementation = action_selector(HashAlgorithm.crc16, 8, 16);
        default_action = NoAction();
    }
    apply {
        standard.egress_spec = 2;
        by_validity.apply();
        fixed.apply();
        unchanged.apply();
        ways.apply();
    }
}

control Out(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply { }
}

control Compute(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control Deparse(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.tag);
        packet.emit(hdr.more);
    }
}

V1Switch(Parse(), Verify(), In(), Out(), Compute(), Deparse()) main;
