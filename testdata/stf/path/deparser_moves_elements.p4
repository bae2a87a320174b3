// The deparser omits an element, so that the headers before it move over the place of the element that it keeps.
#include <v1model.p4>

header one_t {
    bit<8>  index;
    bit<8>  write;
    bit<16> rest;
}

header item_t {
    bit<8>  value;
    bit<24> rest;
}

struct headers_t {
    one_t     one;
    item_t[2] items;
}

struct metadata_t {}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.one);
        packet.extract(hdr.items.next);
        packet.extract(hdr.items.next);
        transition accept;
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        standard.egress_spec = 1;
        hdr.items[hdr.one.index].setValid();
        if (hdr.one.write == 1) {
            hdr.items[0].value = 0x77;
        }
    }
}

#define OWN_DEPARSER
control D(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.one);
        packet.emit(hdr.items[0]);
    }
}

#include "../rest.p4"
