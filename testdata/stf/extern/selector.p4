// A selector's member is chosen by the selector keys alone: the same flow goes the same way, and a member that leaves takes only its own flows.
#include <v1model.p4>

header flow_t {
    bit<8>  group;
    bit<16> flow;
    bit<8>  other;
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
    action_selector(HashAlgorithm.crc16, 16, 16) ways;

    action way(bit<8> number) {
        hdr.f.way = number;
    }
    table t {
        key = {
            hdr.f.group: exact;
            hdr.f.flow: selector;
        }
        actions = { way; }
        implementation = ways;
    }

    apply {
        standard.egress_spec = 1;
        t.apply();
    }
}

#include "../rest.p4"
