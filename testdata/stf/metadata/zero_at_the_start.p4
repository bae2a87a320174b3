// All metadata is 0 when a packet comes in, the user's too, but what the switch fills in.
#include <v1model.p4>

header all_t {
    bit<8>  ingress_port;
    bit<8>  egress_spec;
    bit<8>  instance_type;
    bit<8>  mcast_grp;
    bit<8>  checksum_error;
    bit<8>  priority;
    bit<32> number;
    bit<8>  flag;
    int<16> signed;
}

struct inner_t {
    bit<32> number;
    bool    flag;
}

struct headers_t {
    all_t all;
}

struct metadata_t {
    inner_t inner;
    int<16> signed;
}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.all);
        transition accept;
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        hdr.all.ingress_port = (bit<8>) standard.ingress_port;
        hdr.all.egress_spec = (bit<8>) standard.egress_spec;
        hdr.all.instance_type = (bit<8>) standard.instance_type;
        hdr.all.mcast_grp = (bit<8>) standard.mcast_grp;
        hdr.all.checksum_error = (bit<8>) standard.checksum_error;
        hdr.all.priority = (bit<8>) standard.priority;
        hdr.all.number = meta.inner.number;
        hdr.all.flag = meta.inner.flag ? 8w1 : 0;
        hdr.all.signed = meta.signed;
        meta = { { 0xffffffff, true }, -1 };
        standard.priority = 7;
        standard.egress_spec = 1;
    }
}

#include "../rest.p4"
