// Ports and networks that controllers call by texts.

#include <core.p4>
#include <v1model.p4>

@p4runtime_translation("", string)
@p4runtime_translation_mappings({{"Ethernet0", 2}, {"Ethernet4", 1}})
type bit<9> port_id_t;
@p4runtime_translation("", string)
type bit<4> vrf_id_t;

header tag_t {
    bit<16> kind;
}

@controller_header("packet_in")
header packet_in_t {
    port_id_t ingress_port;
    bit<7> rest;
}

@controller_header("packet_out")
header packet_out_t {
    port_id_t egress_port;
    bit<7> rest;
}

struct headers_t {
    packet_in_t packet_in;
    packet_out_t packet_out;
    tag_t tag;
}

struct learned_t {
    bit<16> kind;
    port_id_t port;
}

struct metadata_t {
    port_id_t in_port;
    vrf_id_t vrf;
}

parser MyParser(packet_in packet, out headers_t hdr, inout metadata_t meta,
                inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.tag);
        meta.in_port = (port_id_t) standard.ingress_port;
        transition accept;
    }
}

control MyVerify(inout headers_t hdr, inout metadata_t meta) {
    apply {}
}

control MyIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    action_selector(HashAlgorithm.crc16, 16, 14) ways;
    action send(port_id_t port) {
        standard.egress_spec = (bit<9>) port;
    }
    action enter(vrf_id_t vrf) {
        meta.vrf = vrf;
    }
    table from_port {
        key = { meta.in_port: exact; }
        actions = { send; enter; NoAction; }
        default_action = NoAction();
    }
    table spread {
        key = { hdr.tag.kind: exact; meta.vrf: selector; }
        actions = { send; NoAction; }
        implementation = ways;
    }
    apply {
        learned_t learned = { hdr.tag.kind, (port_id_t) standard.ingress_port };
        digest(1, learned);
        from_port.apply();
        spread.apply();
    }
}

control MyEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {}
}

control MyCompute(inout headers_t hdr, inout metadata_t meta) {
    apply {}
}

control MyDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.packet_in);
        packet.emit(hdr.tag);
    }
}

V1Switch(MyParser(), MyVerify(), MyIngress(), MyEgress(), MyCompute(), MyDeparser()) main;
