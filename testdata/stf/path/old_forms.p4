// The forms of v1model's first years name the fields to keep; headers and values among them have no effect.
#include <v1model.p4>

header one_t {
    bit<8> wish;
    bit<8> kept;
    bit<8> lost;
}

struct headers_t {
    one_t one;
}

struct metadata_t {
    bit<8> kept;
    bit<8> lost;
}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.one);
        transition accept;
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        standard.egress_spec = 1;
        if (standard.instance_type == 0) {
            meta = { 1, 1 };
            if (hdr.one.wish == 1) {
                clone3(CloneType.I2E, 1, { meta.kept, hdr.one.wish });
            } else if (hdr.one.wish == 2) {
                resubmit<tuple<bit<8>>>({ meta.kept });
            }
            meta = { 2, 2 };
        }
    }
}

#define OWN_EGRESS
control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        hdr.one.kept = meta.kept;
        hdr.one.lost = meta.lost;
        if (hdr.one.wish == 3 && standard.instance_type == 0) {
            hdr.one.wish = 4;
            recirculate<bit<8>>(meta.kept);
        }
    }
}

#include "../rest.p4"
