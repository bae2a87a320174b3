// Sends frames by their first byte and the port on which they arrived; a selector's empty groups
// run an action of the program.
#include <core.p4>
#include <psa.p4>

header order_t { bit<8> kind; bit<8> mark; }
struct headers_t { order_t order; }
struct empty_t { }

parser ReadIngress(
    packet_in packet, out headers_t hdr, inout empty_t meta, in psa_ingress_parser_input_metadata_t istd,
    in empty_t resubmitted, in empty_t recirculated) {
    state start {
        packet.extract(hdr.order);
        transition accept;
    }
}

control Choose(
    inout headers_t hdr, inout empty_t meta, in psa_ingress_input_metadata_t istd,
    inout psa_ingress_output_metadata_t ostd) {
    ActionSelector(PSA_HashAlgorithm_t.CRC16, 8, 4) marks;
    Register<bit<8>, bit<8>>(2, 77) counts;
    action to(PortId_t port) { send_to_port(ostd, port); }
    action mark(bit<8> value) { hdr.order.mark = value; }
    action unmarked() { hdr.order.mark = 0xee; }
    table ports {
        key = { istd.ingress_port: exact; hdr.order.kind: exact; }
        actions = { to; NoAction; }
    }
    table members {
        key = { hdr.order.kind: exact; hdr.order.mark: selector; }
        actions = { mark; unmarked; NoAction; }
        psa_implementation = marks;
        psa_empty_group_action = unmarked();
    }
    apply {
        counts.write(0, hdr.order.kind);
        ports.apply();
        members.apply();
    }
}

control WriteIngress(
    packet_out packet, out empty_t cloned, out empty_t resubmitted, out empty_t normal, inout headers_t hdr,
    in empty_t meta, in psa_ingress_output_metadata_t istd) {
    apply { packet.emit(hdr); }
}

parser ReadEgress(
    packet_in packet, out headers_t hdr, inout empty_t meta, in psa_egress_parser_input_metadata_t istd,
    in empty_t normal, in empty_t cloned, in empty_t egress_cloned) {
    state start {
        packet.extract(hdr.order);
        transition accept;
    }
}

control Count(
    inout headers_t hdr, inout empty_t meta, in psa_egress_input_metadata_t istd,
    inout psa_egress_output_metadata_t ostd) {
    apply { hdr.order.kind = hdr.order.kind + 1; }
}

control WriteEgress(
    packet_out packet, out empty_t cloned, out empty_t recirculated, inout headers_t hdr, in empty_t meta,
    in psa_egress_output_metadata_t istd, in psa_egress_deparser_input_metadata_t dstd) {
    apply { packet.emit(hdr); }
}

IngressPipeline(ReadIngress(), Choose(), WriteIngress()) ingress;
EgressPipeline(ReadEgress(), Count(), WriteEgress()) egress;
PSA_Switch(ingress, PacketReplicationEngine(), egress, BufferingQueueingEngine()) main;
