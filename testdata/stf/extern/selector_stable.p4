// A leaving member loses only its own flows, and a new member takes flows only for itself: one packet loops once for each of
// 200 flows, and compares its member with the flow's previous member.
#include <v1model.p4>

header result_t {
    bit<8> gone;        // flows that had a member other than the one before
    bit<8> moved;       // of these, flows of a member other than the one that left
    bit<8> to_other;    // of these, flows that came to a member other than number 4
}

struct headers_t {
    result_t r;
}

struct metadata_t {
    @field_list(1)
    bit<16> flow;
    bit<8>  member;
}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.r);
        transition accept;
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    action_selector(HashAlgorithm.crc32, 16, 32) ways;
    register<bit<8>>(256) last;

    action way(bit<8> number) {
        meta.member = number;
    }
    table t {
        key = {
            standard.ingress_port: ternary;
            meta.flow: selector;
        }
        actions = { way; }
        implementation = ways;
    }

    apply {
        bit<8> before;
        standard.egress_spec = 1;
        t.apply();
        last.read(before, (bit<32>) meta.flow);
        last.write((bit<32>) meta.flow, meta.member);
        if (before != meta.member && before != 0) {
            hdr.r.gone = hdr.r.gone + 1;
            if (before != 2) {
                hdr.r.moved = hdr.r.moved + 1;
            }
            if (meta.member != 4) {
                hdr.r.to_other = hdr.r.to_other + 1;
            }
        }
        meta.flow = meta.flow + 1;
    }
}

#define OWN_EGRESS
control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        if (meta.flow < 200) {
            recirculate_preserving_field_list(1);
        }
    }
}

#include "../rest.p4"
