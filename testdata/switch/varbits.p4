// Everything that a program can do with a large varbit: extract, copy alone and in headers, structs and stacks, compare, emit.
#include <v1model.p4>

#ifndef SIZE
#define SIZE 131072
#endif

header order_t {
    bit<8> marks;
    bit<16> bytes;
}

header data_t {
    varbit<SIZE> data;
}

struct headers_t {
    order_t order;
    data_t data;
    data_t[3] stack;
    data_t copy;
}

struct metadata_t {
    varbit<SIZE> saved;
}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.order);
        packet.extract(hdr.data, (bit<32>)hdr.order.bytes * 8);
        transition accept;
    }
}

data_t same(in data_t given) {
    return given;
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    headers_t all;

    apply {
        standard.egress_spec = 1;
        if (standard.parser_error == error.NoError) {
            meta.saved = hdr.data.data;
            if (meta.saved == hdr.stack[0].data) {
                hdr.order.marks = hdr.order.marks | 1;
            }
            hdr.copy = same(hdr.data);
            if (hdr.copy == hdr.data) {
                hdr.order.marks = hdr.order.marks | 2;
            }
            all = hdr;
            hdr.stack[hdr.order.bytes & 1] = all.copy;
            hdr.stack.push_front(1);
            hdr.stack[0].setValid();
            hdr.stack[0].data = hdr.stack[1 + (hdr.order.bytes & 1)].data;
            if (hdr.stack[0] == all.data && hdr.stack[2 - (hdr.order.bytes & 1)] != all.data) {
                hdr.order.marks = hdr.order.marks | 4;
            }
        } else if (standard.parser_error == error.HeaderTooShort) {
            hdr.order.marks = 0x40;
        } else {
            hdr.order.marks = 0x80;
        }
    }
}

#define OWN_EGRESS
control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        if (hdr.data.isValid()) {
            // What remains is in the metadata.
            hdr.data.setInvalid();
            hdr.data.setValid();
            if (hdr.data.data == meta.saved) {
                hdr.order.marks = hdr.order.marks | 8;
            }
            hdr.data.data = meta.saved;
        }
    }
}

#include "../rest.p4"
