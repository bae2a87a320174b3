// Every kind of key in one table: an access list.
#include <v1model.p4>

header packet_t {
    bit<8>  zone;
    bit<32> source;
    bit<32> destination;
    bit<16> port;
    bit<8>  protocol;
    bit<8>  verdict;
}

struct headers_t {
    packet_t p;
}

struct metadata_t {}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.p);
        transition accept;
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    action verdict(bit<8> v) {
        hdr.p.verdict = v;
    }
    table acl {
        key = {
            hdr.p.zone: exact;
            hdr.p.source: ternary;
            hdr.p.destination: lpm;
            hdr.p.port: range;
            hdr.p.protocol: optional;
        }
        actions = { verdict; }
        default_action = verdict(0);
    }

    apply {
        standard.egress_spec = 1;
        acl.apply();
    }
}

#include "../rest.p4"
