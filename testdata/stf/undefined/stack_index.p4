// An index past the end of a stack, known only at run time: it reads 0 and writes nothing.
#include <v1model.p4>

header label_t {
    bit<8> value;
}

header ask_t {
    bit<8> index;
    bit<8> read;
}

struct headers_t {
    ask_t      ask;
    label_t[3] labels;
}

struct metadata_t {}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.ask);
        packet.extract(hdr.labels.next);
        packet.extract(hdr.labels.next);
        packet.extract(hdr.labels.next);
        transition accept;
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        standard.egress_spec = 1;
        hdr.ask.read = hdr.labels[hdr.ask.index].value;
        hdr.labels[hdr.ask.index].value = 0x77;
    }
}

#include "../rest.p4"
