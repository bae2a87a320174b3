// A header that never becomes valid keeps what is written to it, from block to block of a pass: in the parser, for table keys, in
// actions, in copies and in a stack that moves. A second pass, a clone of ingress and the next packet find 0.
#include <v1model.p4>

header one_t {
    bit<8> wish;        // 1: recirculate, 2: resubmit, 3: clone
    bit<8> value;
    bit<8> found;
    bit<8> copied;
    bit<8> moved;
    bit<8> seen;
}

header scratch_t {
    bit<8>      value;
    varbit<64>  rest;
    bit<8>      counter;
}

header item_t {
    bit<8> value;
}

struct headers_t {
    one_t     one;
    scratch_t scratch;
}

struct metadata_t {
    scratch_t other;
    item_t[3] items;
}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.one);
        hdr.scratch.counter = hdr.scratch.counter + 1;
        transition select(hdr.one.value) {
            0: accept;
            default: keep;
        }
    }
    state keep {
        hdr.scratch.value = hdr.one.value;
        transition accept;
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    action found(bit<8> what) {
        hdr.one.found = what + hdr.scratch.counter;
    }
    table t {
        key = { hdr.scratch.value: exact; }
        actions = { found; }
        default_action = found(0);
        const entries = {
            0x11: found(0x20);
            0x22: found(0x30);
        }
    }
    apply {
        standard.egress_spec = 1;
        t.apply();
        meta.other = hdr.scratch;
        meta.items[0].value = hdr.one.value;
        meta.items.push_front(1);
        if (standard.instance_type == 0) {
            if (hdr.one.wish == 1) {
                recirculate_preserving_field_list(0);
            } else if (hdr.one.wish == 2) {
                resubmit_preserving_field_list(0);
            } else if (hdr.one.wish == 3) {
                clone(CloneType.I2E, 1);
            }
        }
        if (hdr.one.wish != 0) {
            hdr.one.value = 0;
        }
    }
}

#define OWN_EGRESS
control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        hdr.one.copied = meta.other.value;
        hdr.one.moved = meta.items[1].value;
        hdr.one.seen = (bit<8>) hdr.scratch.counter;
        hdr.scratch.counter = 0xff;
    }
}

#include "../rest.p4"
