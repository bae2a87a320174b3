// A stack is empty for each packet: next begins at its first element.
#include <v1model.p4>

header label_t {
    bit<8> value;
}

header count_t {
    bit<8> wanted;
    bit<8> third;
}

struct headers_t {
    count_t    count;
    label_t[3] labels;
}

struct metadata_t {}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.count);
        transition select(hdr.count.wanted) {
            1: last;
            2: last_but_one;
            3: first;
        }
    }
    state first {
        packet.extract(hdr.labels.next);
        transition last_but_one;
    }
    state last_but_one {
        packet.extract(hdr.labels.next);
        transition last;
    }
    state last {
        packet.extract(hdr.labels.next);
        transition accept;
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        standard.egress_spec = 1;
        hdr.count.third = hdr.labels[2].value;
        hdr.labels[0].value = 0xee;
    }
}

#include "../rest.p4"
