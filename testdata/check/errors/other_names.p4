// Words for what PSA declares, and names that files of other architectures declare.
#include <psa.p4>

header h_t {
    bit<8> ttl;
}

struct headers_t {
    h_t h;
}

control I(inout headers_t hdr, inout psa_ingress_output_metadata_t ostd) {
    Counter<bit<32>, bit<8>>(16, PSA_CounterType_t.PACKETS) seen;
    Register<bit<8>, bit<8>>(16) state;
    standard_metadata_t meta; // ERROR unknown-type
    apply {
        drop(); // ERROR unknown-name
        forward((PortId_t)1); // ERROR unknown-name
        count(3); // ERROR unknown-name
        seen.inc(3); // ERROR unknown-method
        hdr.h.ttl = state.load(3); // ERROR unknown-method
        printf("x"); // ERROR unknown-name
        crc16(hdr.h); // ERROR unknown-name
    }
}
