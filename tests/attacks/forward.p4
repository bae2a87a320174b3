// Sends frames that arrive at port 1 out of port 2, by a table that controllers change meanwhile.
#include <core.p4>
#include <v1model.p4>

header ethernet_t {
    bit<48> destination;
    bit<48> source;
    bit<16> kind;
}

struct headers_t {
    ethernet_t ethernet;
}

struct metadata_t {}

parser Read(packet_in packet, out headers_t headers, inout metadata_t metadata,
            inout standard_metadata_t standard) {
    state start {
        packet.extract(headers.ethernet);
        transition accept;
    }
}

control Verify(inout headers_t headers, inout metadata_t metadata) {
    apply {}
}

control Forward(inout headers_t headers, inout metadata_t metadata, inout standard_metadata_t standard) {
    action send(bit<9> port) {
        standard.egress_spec = port;
    }
    table ports {
        key = { standard.ingress_port: exact; }
        actions = { send; NoAction; }
        default_action = NoAction();
        const entries = { 1: send(2); }
    }
    table stations {
        key = { headers.ethernet.destination: exact; }
        actions = { send; NoAction; }
        default_action = NoAction();
        size = 4096;
    }
    apply {
        ports.apply();
        stations.apply();
    }
}

control Leave(inout headers_t headers, inout metadata_t metadata, inout standard_metadata_t standard) {
    apply {}
}

control Compute(inout headers_t headers, inout metadata_t metadata) {
    apply {}
}

control Write(packet_out packet, in headers_t headers) {
    apply {
        packet.emit(headers.ethernet);
    }
}

V1Switch(Read(), Verify(), Forward(), Leave(), Compute(), Write()) main;
