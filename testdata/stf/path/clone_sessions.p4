// Sessions have any number, 0 too, chosen at run time; of several clones in one block the last counts.
#include <v1model.p4>

header one_t {
    bit<8>  first;
    bit<16> last;
}

struct headers_t {
    one_t one;
}

struct metadata_t {}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.one);
        transition accept;
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        clone(CloneType.I2E, (bit<32>) hdr.one.first);
        clone(CloneType.I2E, (bit<32>) hdr.one.last);
        standard.egress_spec = 1;
    }
}

#include "../rest.p4"
