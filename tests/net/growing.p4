/* Forwards as depths.p4, and adds 400 bytes to packets to port 2 in egress. */
#include <core.p4>
#include <v1model.p4>

header front_t {
    bit<112> ethernet;
    bit<224> ip_and_udp;
}

header added_t {
    bit<1600> first;
    bit<1600> second;
}

struct headers_t {
    front_t front;
    added_t added;
}

struct metadata_t { }

parser MyParser(packet_in packet, out headers_t hdr, inout metadata_t meta,
                inout standard_metadata_t standard_metadata) {
    state start {
        packet.extract(hdr.front);
        transition accept;
    }
}

control MyVerify(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control MyIngress(inout headers_t hdr, inout metadata_t meta,
                  inout standard_metadata_t standard_metadata) {
    apply {
        standard_metadata.egress_spec = 3 - standard_metadata.ingress_port;
    }
}

control MyEgress(inout headers_t hdr, inout metadata_t meta,
                 inout standard_metadata_t standard_metadata) {
    register<bit<32>>(1) max_microseconds;

    apply {
        if (standard_metadata.egress_port == 2) {
            hdr.added = { 0, 0 };
            bit<32> longest;
            max_microseconds.read(longest, 0);
            if (standard_metadata.deq_timedelta > longest) {
                max_microseconds.write(0, standard_metadata.deq_timedelta);
            }
        }
    }
}

control MyCompute(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control MyDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr);
    }
}

V1Switch(MyParser(), MyVerify(), MyIngress(), MyEgress(), MyCompute(), MyDeparser()) main;
