// Members share the flows evenly, as far as chance lets them: of 1000 flows each of four gets 250, give or take five standard deviations (14).
#include <v1model.p4>

header one_t {
    bit<8> one;
}

struct headers_t {
    one_t one;
}

struct metadata_t {
    @field_list(1)
    bit<16> flow;
    bit<8>  member;
}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.one);
        transition accept;
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    action_selector(HashAlgorithm.crc16, 16, 16) ways;
    counter(4, CounterType.packets) share;

    action way(bit<8> number) {
        share.count((bit<32>) number);
    }
    table t {
        key = {
            hdr.one.one: exact;
            meta.flow: selector;
        }
        actions = { way; }
        implementation = ways;
    }

    apply {
        standard.egress_spec = 1;
        t.apply();
        meta.flow = meta.flow + 1;
    }
}

#define OWN_EGRESS
control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        if (meta.flow < 1000) {
            recirculate_preserving_field_list(1);
        }
    }
}

#include "../rest.p4"
