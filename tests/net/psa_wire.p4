// A PSA program that connects ports 1 and 2.
#include <core.p4>
#include <psa.p4>

header ethernet_t {
    bit<48> destination;
    bit<48> source;
    bit<16> type;
}

struct headers_t {
    ethernet_t ethernet;
}

struct empty_t {
}

parser ParseIngress(
    packet_in packet,
    out headers_t hdr,
    inout empty_t meta,
    in psa_ingress_parser_input_metadata_t input,
    in empty_t resubmitted,
    in empty_t recirculated
) {
    state start {
        packet.extract(hdr.ethernet);
        transition accept;
    }
}

control Cross(
    inout headers_t hdr,
    inout empty_t meta,
    in psa_ingress_input_metadata_t input,
    inout psa_ingress_output_metadata_t output
) {
    apply {
        send_to_port(output, input.ingress_port == (PortId_t) 1 ? (PortId_t) 2 : (PortId_t) 1);
    }
}

control DeparseIngress(
    packet_out packet,
    out empty_t cloned,
    out empty_t resubmitted,
    out empty_t normal,
    inout headers_t hdr,
    in empty_t meta,
    in psa_ingress_output_metadata_t output
) {
    apply {
        packet.emit(hdr);
    }
}

parser ParseEgress(
    packet_in packet,
    out headers_t hdr,
    inout empty_t meta,
    in psa_egress_parser_input_metadata_t input,
    in empty_t normal,
    in empty_t cloned_in_ingress,
    in empty_t cloned_in_egress
) {
    state start {
        packet.extract(hdr.ethernet);
        transition accept;
    }
}

control Leave(
    inout headers_t hdr,
    inout empty_t meta,
    in psa_egress_input_metadata_t input,
    inout psa_egress_output_metadata_t output
) {
    apply {
    }
}

control DeparseEgress(
    packet_out packet,
    out empty_t cloned,
    out empty_t recirculated,
    inout headers_t hdr,
    in empty_t meta,
    in psa_egress_output_metadata_t output,
    in psa_egress_deparser_input_metadata_t input
) {
    apply {
        packet.emit(hdr);
    }
}

IngressPipeline(ParseIngress(), Cross(), DeparseIngress()) ingress;
EgressPipeline(ParseEgress(), Leave(), DeparseEgress()) egress;
PSA_Switch(ingress, PacketReplicationEngine(), egress, BufferingQueueingEngine()) main;
