// Sends each packet through the switch as often as an entry says, then out of the port it says.
#include <core.p4>
#include <v1model.p4>

const bit<8> KEEP_PASSES = 1;

header ethernet_t {
    bit<48> dst;
    bit<48> src;
    bit<16> ether_type;
}

struct headers_t {
    ethernet_t ethernet;
}

struct metadata_t {
    @field_list(KEEP_PASSES)
    bit<8> passes;
    @field_list(1)
    bit<9> port;
    bool   again;
}

parser LoopParser(packet_in packet, out headers_t hdr, inout metadata_t meta,
                  inout standard_metadata_t standard_metadata) {
    state start {
        packet.extract(hdr.ethernet);
        transition accept;
    }
}

control LoopVerify(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control LoopIngress(inout headers_t hdr, inout metadata_t meta,
                    inout standard_metadata_t standard_metadata) {
    action go(bit<9> port, bit<8> passes) {
        meta.port = port;
        meta.passes = passes;
    }

    action drop() {
        mark_to_drop(standard_metadata);
        exit;
    }

    table plan {
        key = { standard_metadata.ingress_port: exact; }
        actions = { go; drop; }
        const default_action = drop();
    }

    apply {
        if (standard_metadata.instance_type == 0) {
            plan.apply();
        } else {
            meta.passes = meta.passes - 1;
        }
        meta.again = meta.passes > 0;
        standard_metadata.egress_spec = meta.port;
    }
}

control LoopEgress(inout headers_t hdr, inout metadata_t meta,
                   inout standard_metadata_t standard_metadata) {
    apply {
        if (meta.again) {
            recirculate_preserving_field_list(KEEP_PASSES);
        }
    }
}

control LoopChecksum(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control LoopDeparser(packet_out packet, in headers_t hdr) {
    apply { packet.emit(hdr.ethernet); }
}

V1Switch(LoopParser(), LoopVerify(), LoopIngress(), LoopEgress(), LoopChecksum(), LoopDeparser()) main;
