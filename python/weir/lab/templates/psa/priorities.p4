/* priorities.p4 - a switch for PSA with hosts behind its ports, and classes of service by protocol. */
#include <core.p4>
#include <psa.p4>

header ethernet_h {
    bit<48> destination;
    bit<48> source;
    bit<16> type;
}

header ipv4_h {
    bit<72> front;
    bit<8>  protocol;
    bit<16> checksum;
    bit<32> source;
    bit<32> destination;
}

struct headers {
    ethernet_h ethernet;
    ipv4_h     ipv4;
}

struct empty { }

parser ParseIngress(packet_in packet, out headers hdr, inout empty meta,
                    in psa_ingress_parser_input_metadata_t input, in empty resubmitted, in empty recirculated) {
    state start {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.type) {
            0x800: ipv4;
            default: accept;
        }
    }
    state ipv4 {
        packet.extract(hdr.ipv4);
        transition accept;
    }
}

control Forward(inout headers hdr, inout empty meta, in psa_ingress_input_metadata_t input,
                inout psa_ingress_output_metadata_t output) {
    action to_host(bit<48> mac, PortId_t port) {
        hdr.ethernet.destination = mac;
        send_to_port(output, port);
    }
    action set_class(ClassOfService_t number) {
        output.class_of_service = number;
    }
    table hosts {
        key = { hdr.ipv4.destination: exact; }
        actions = { to_host; @defaultonly NoAction; }
    }
    table classes {
        key = { hdr.ipv4.protocol: exact; }
        actions = { set_class; @defaultonly NoAction; }
    }
    apply {
        if (hdr.ipv4.isValid()) {
            hosts.apply();
            classes.apply();
        }
    }
}

control DeparseIngress(packet_out packet, out empty cloned, out empty resubmitted, out empty normal,
                       inout headers hdr, in empty meta, in psa_ingress_output_metadata_t output) {
    apply { packet.emit(hdr); }
}

/* Egress changes nothing, so it need not parse headers. */
parser ParseEgress(packet_in packet, out empty hdr, inout empty meta, in psa_egress_parser_input_metadata_t input,
                   in empty normal, in empty cloned_in_ingress, in empty cloned_in_egress) {
    state start { transition accept; }
}

control Keep(inout empty hdr, inout empty meta, in psa_egress_input_metadata_t input,
             inout psa_egress_output_metadata_t output) {
    apply { }
}

control DeparseEgress(packet_out packet, out empty cloned, out empty recirculated, inout empty hdr, in empty meta,
                      in psa_egress_output_metadata_t output, in psa_egress_deparser_input_metadata_t input) {
    apply { }
}

IngressPipeline(ParseIngress(), Forward(), DeparseIngress()) ingress;
EgressPipeline(ParseEgress(), Keep(), DeparseEgress()) egress;
PSA_Switch(ingress, PacketReplicationEngine(), egress, BufferingQueueingEngine()) main;
