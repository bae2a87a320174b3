// An entry whose group is empty is hit, and runs the table's default action.
#include <v1model.p4>

header flow_t {
    bit<8>  group;
    bit<16> flow;
    bit<8>  hit;
    bit<8>  way;
}

struct headers_t {
    flow_t f;
}

struct metadata_t {}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.f);
        transition accept;
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    action_selector(HashAlgorithm.crc32, 16, 16) ways;

    action way(bit<8> number) {
        hdr.f.way = number;
    }
    action none() {
        hdr.f.way = 0xee;
    }
    table t {
        key = {
            hdr.f.group: exact;
            hdr.f.flow: selector;
        }
        actions = { way; none; }
        default_action = none();
        implementation = ways;
    }

    apply {
        standard.egress_spec = 1;
        hdr.f.hit = t.apply().hit ? 8w1 : 0;
    }
}

#include "../rest.p4"
