// A table whose entries lead to members and groups of an action selector.
#include <core.p4>
#include <v1model.p4>

header flow_t {
    bit<8>  route;
    bit<16> number;
}

struct headers_t {
    flow_t flow;
}

struct metadata_t {}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.flow);
        transition accept;
    }
}

control V(inout headers_t hdr, inout metadata_t meta) {
    apply {}
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    action out_of(bit<9> port) {
        standard.egress_spec = port;
    }
    action drop() {
        mark_to_drop(standard);
    }
    @name("ways")
    action_selector(HashAlgorithm.crc16, 32w64, 32w16) ways;

    table routes {
        key = {
            hdr.flow.route: exact;
            hdr.flow.number: selector;
        }
        actions = { out_of; drop; }
        default_action = drop();
        implementation = ways;
    }
    apply {
        routes.apply();
    }
}

control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {}
}

control U(inout headers_t hdr, inout metadata_t meta) {
    apply {}
}

control D(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr);
    }
}

V1Switch(P(), V(), I(), E(), U(), D()) main;
