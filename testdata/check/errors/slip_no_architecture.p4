// A program that includes core.p4 and forgets the architecture.
#include <core.p4>

header h_t { bit<8> x; }
struct headers_t { h_t h; }
struct meta_t { bit<8> y; }

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t standard_metadata) { // ERROR unknown-type
    state start {
        packet.extract(hdr.h);
        transition accept;
    }
}

control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t standard_metadata) { // ERROR unknown-type
    apply { mark_to_drop(standard_metadata); } // ERROR unknown-name
}

V1Switch(P(), I()) main; // ERROR unknown-type
