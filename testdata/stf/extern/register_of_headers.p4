// A cell can be a header: its validity is kept with its fields.
#include <v1model.p4>

header label_t {
    bit<8> value;
}

header ask_t {
    bit<8> index;
    bit<8> write;
}

struct headers_t {
    ask_t ask;
    label_t label;
    label_t kept;
}

struct metadata_t {}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.ask);
        transition select(hdr.ask.write) {
            1: label;
            default: accept;
        }
    }
    state label {
        packet.extract(hdr.label);
        transition accept;
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    register<label_t>(4) labels;

    apply {
        standard.egress_spec = 1;
        labels.read(hdr.kept, (bit<32>) hdr.ask.index);
        labels.write((bit<32>) hdr.ask.index, hdr.label);
    }
}

#include "../rest.p4"
