/* Sends packets from port 1 to 2 and back, and keeps what they saw of the queues. */
#include <core.p4>
#include <v1model.p4>

header ethernet_t {
    bit<48> dstAddr;
    bit<48> srcAddr;
    bit<16> etherType;
}

struct headers_t {
    ethernet_t ethernet;
}

struct metadata_t { }

parser MyParser(packet_in packet, out headers_t hdr, inout metadata_t meta,
                inout standard_metadata_t standard_metadata) {
    state start {
        packet.extract(hdr.ethernet);
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
    register<bit<32>>(1) packets;
    register<bit<19>>(1) max_enqueued;
    register<bit<19>>(1) max_dequeued;
    register<bit<32>>(1) max_microseconds;

    apply {
        if (standard_metadata.egress_port == 2) {
            bit<32> count;
            packets.read(count, 0);
            packets.write(0, count + 1);
            bit<19> depth;
            max_enqueued.read(depth, 0);
            if (standard_metadata.enq_qdepth > depth) {
                max_enqueued.write(0, standard_metadata.enq_qdepth);
            }
            max_dequeued.read(depth, 0);
            if (standard_metadata.deq_qdepth > depth) {
                max_dequeued.write(0, standard_metadata.deq_qdepth);
            }
            bit<32> delta;
            max_microseconds.read(delta, 0);
            if (standard_metadata.deq_timedelta > delta) {
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
        packet.emit(hdr.ethernet);
    }
}

V1Switch(MyParser(), MyVerify(), MyIngress(), MyEgress(), MyCompute(), MyDeparser()) main;
