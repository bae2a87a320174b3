// push_front makes room at the front and invalid headers there, pop_front takes away; more than the stack holds empties it.
#include <v1model.p4>

header label_t {
    bit<8> value;
}

struct headers_t {
    label_t    ask;
    label_t[3] labels;
}

struct metadata_t {}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.ask);
        packet.extract(hdr.labels.next);
        packet.extract(hdr.labels.next);
        transition accept;
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        standard.egress_spec = 1;
        if (hdr.ask.value == 0) {
            hdr.labels.push_front(1);
            hdr.labels[0].setValid();
            hdr.labels[0].value = 0x77;
        } else if (hdr.ask.value == 1) {
            hdr.labels.push_front(2);
        } else if (hdr.ask.value == 2) {
            hdr.labels.pop_front(1);
        } else if (hdr.ask.value == 3) {
            hdr.labels.pop_front(5);
        }
    }
}

#include "../rest.p4"
