// Beside the selector keys nothing chooses the member: not the table's other keys, not the order in which members joined the group.
#include <v1model.p4>

header flow_t {
    bit<8>  group;
    bit<16> flow;
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
    action_selector(HashAlgorithm.crc32, 16, 32) ways;

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
    register<bit<8>>(1) first;

    apply {
        bit<8> before;
        standard.egress_spec = 1;
        t.apply();
        first.read(before, 0);
        if (before == 0) {
            first.write(0, hdr.f.way);
        } else {
            hdr.f.way = before == hdr.f.way ? 8w0x11 : 0xee;
        }
    }
}

#include "../rest.p4"
