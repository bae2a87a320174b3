// Stands in for the program of a switch that waits for a controller to send one. No packet gets
// here.

#include <core.p4>
#include <v1model.p4>

struct headers_t {
}

struct metadata_t {
}

parser MyParser(packet_in packet, out headers_t headers, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        transition accept;
    }
}

control MyVerify(inout headers_t headers, inout metadata_t meta) {
    apply {
    }
}

control MyIngress(inout headers_t headers, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        mark_to_drop(standard);
    }
}

control MyEgress(inout headers_t headers, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
    }
}

control MyCompute(inout headers_t headers, inout metadata_t meta) {
    apply {
    }
}

control MyDeparser(packet_out packet, in headers_t headers) {
    apply {
    }
}

V1Switch(MyParser(), MyVerify(), MyIngress(), MyEgress(), MyCompute(), MyDeparser()) main;
