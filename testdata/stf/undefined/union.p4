// Of a header union one member is valid at most: to make one valid, by extraction, assignment or setValid, makes the others invalid.
#include <v1model.p4>

header a_t {
    bit<8> a;
}

header b_t {
    bit<16> b;
}

header_union u_t {
    a_t a;
    b_t b;
}

header ask_t {
    bit<8> wish;
    bit<8> valid;
}

struct headers_t {
    ask_t ask;
    u_t u;
}

struct metadata_t {}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.ask);
        packet.extract(hdr.u.a);
        transition accept;
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        standard.egress_spec = 1;
        if (hdr.ask.wish == 1) {
            hdr.u.b.setValid();
            hdr.u.b.b = 0x7777;
        } else if (hdr.ask.wish == 2) {
            hdr.u.b = { 0x8888 };
        } else if (hdr.ask.wish == 3) {
            hdr.u.a.setInvalid();
        }
        hdr.ask.valid = (bit<8>) ((hdr.u.isValid() ? 3w4 : 0) | (hdr.u.a.isValid() ? 3w2 : 0) | (hdr.u.b.isValid() ? 3w1 : 0));
    }
}

#include "../rest.p4"
