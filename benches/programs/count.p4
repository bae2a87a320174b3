// Counts the packets of flows, by a counter or in a register that is read and written, and sends them on: what state costs on several threads.
#include <core.p4>
#include <v1model.p4>

#ifndef COUNTER
#ifndef REGISTER
#define COUNTER
#endif
#endif

header ethernet_h {
    bit<48> dst;
    bit<48> src;
    bit<16> ether_type;
}

header addresses_h {
    bit<96> before;
    bit<32> src;
    bit<32> dst;
}

struct headers_t {
    ethernet_h  ethernet;
    addresses_h addresses;
}

struct metadata_t {}

parser CountParser(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.ethernet);
        packet.extract(hdr.addresses);
        transition accept;
    }
}

control CountVerify(inout headers_t hdr, inout metadata_t meta) {
    apply {}
}

control CountIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
#ifdef COUNTER
    counter(4096, CounterType.packets) flows;
#else
    register<bit<48>>(4096) flows;
#endif

    apply {
        standard.egress_spec = 1;
        bit<32> flow = hdr.addresses.dst & 0xfff;
#ifdef COUNTER
        flows.count(flow);
#else
        bit<48> packets;
        flows.read(packets, flow);
        flows.write(flow, packets + 1);
#endif
        hdr.ethernet.src = hdr.ethernet.dst;
    }
}

control CountEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {}
}

control CountChecksum(inout headers_t hdr, inout metadata_t meta) {
    apply {}
}

control CountDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.addresses);
    }
}

V1Switch(CountParser(), CountVerify(), CountIngress(), CountEgress(), CountChecksum(), CountDeparser()) main;
