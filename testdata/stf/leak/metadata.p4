// Metadata, locals, parser errors and requests of one packet are not the next one's.
#include <v1model.p4>

header one_t {
    bit<8> wish;
    bit<8> user;
    bit<8> standard;
    bit<8> error_seen;
}

header more_t {
    bit<16> more;
}

struct headers_t {
    one_t one;
    more_t more;
}

struct metadata_t {
    bit<8> user;
}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.one);
        transition select(hdr.one.wish) {
            1: more;
            default: accept;
        }
    }
    state more {
        packet.extract(hdr.more);
        transition accept;
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        hdr.one.user = meta.user;
        hdr.one.standard = (bit<8>) (standard.egress_spec[7:0] | standard.mcast_grp[7:0]);
        hdr.one.error_seen = standard.parser_error == error.NoError ? 8w0 : 1;
        meta.user = 0x77;
        if (hdr.one.wish == 1) {
            standard.mcast_grp = 3;
            standard.egress_spec = 7;
            truncate(2);
            clone(CloneType.I2E, 1);
            mark_to_drop(standard);
        } else {
            standard.egress_spec = 1;
        }
    }
}

#include "../rest.p4"
