// The lines `member` and `group` of a test fill action profiles and selectors.
#include <v1model.p4>

header one_t {
    bit<8> a;
    bit<8> b;
    bit<16> first;
    bit<16> second;
}

struct headers_t {
    one_t one;
}

struct metadata_t {
    bit<16> found;
}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.one);
        transition accept;
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    action_profile(8) results;
    action_selector(HashAlgorithm.crc16, 8, 16) ways;

    action result(bit<8> high, bit<8> low) {
        meta.found = high ++ low;
    }
    table first {
        key = { hdr.one.a: exact; }
        actions = { result; }
        implementation = results;
    }
    table second {
        key = {
            hdr.one.b: exact;
            hdr.one.a: selector;
        }
        actions = { result; }
        implementation = ways;
    }

    apply {
        standard.egress_spec = 1;
        first.apply();
        hdr.one.first = meta.found;
        meta.found = 0;
        second.apply();
        hdr.one.second = meta.found;
    }
}

#include "../rest.p4"
