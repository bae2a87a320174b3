// Sends packets from port 1 to port 2 and back. Broadcasts go to multicast group 1, packets of
// type 0x0101 to the controller at port 64, packets of type 0x0202 once around first.
#include <core.p4>
#include <v1model.p4>

header ethernet_t {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
}

struct headers_t {
    ethernet_t ethernet;
}

struct metadata_t {
    @field_list(1)
    bit<8> rounds;
}

parser Parse(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.ethernet);
        transition accept;
    }
}

control Verify(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control MyIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    action to(bit<9> port) {
        sm.egress_spec = port;
    }
    table ports {
        key = { sm.ingress_port: exact; }
        actions = { to; NoAction; }
        const entries = {
            1: to(2);
            2: to(1);
            64: to(2);
        }
    }
    apply {
        ports.apply();
        if (hdr.ethernet.dst == 0xffffffffffff) {
            sm.mcast_grp = 1;
        }
        if (hdr.ethernet.type == 0x0101 && sm.ingress_port != 64) {
            sm.egress_spec = 64;
        }
    }
}

control MyEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        if (hdr.ethernet.type == 0x0202 && meta.rounds == 0) {
            meta.rounds = 1;
            recirculate_preserving_field_list(1);
        }
    }
}

control Compute(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control Deparse(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.ethernet);
    }
}

V1Switch(Parse(), Verify(), MyIngress(), MyEgress(), Compute(), Deparse()) main;
