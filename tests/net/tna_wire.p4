/* Forwards packets by the port on which they arrived, and counts the packets of each port. */

#include <core.p4>
#include <tna.p4>

struct headers_t {}

struct metadata_t {}

parser Arrival(packet_in packet, out headers_t hdr, out metadata_t md, out ingress_intrinsic_metadata_t intrinsic) {
    state start {
        packet.extract(intrinsic);
        packet.advance(PORT_METADATA_SIZE);
        transition accept;
    }
}

control Wire(inout headers_t hdr, inout metadata_t md, in ingress_intrinsic_metadata_t intrinsic,
             in ingress_intrinsic_metadata_from_parser_t parsed,
             inout ingress_intrinsic_metadata_for_deparser_t deparser,
             inout ingress_intrinsic_metadata_for_tm_t tm) {
    Register<bit<32>, PortId_t>(512) packets;
    RegisterAction<bit<32>, PortId_t, bit<32>>(packets) count = {
        void apply(inout bit<32> value) { value = value + 1; }
    };
    action forward(PortId_t port) { tm.ucast_egress_port = port; }
    table wires {
        key = { intrinsic.ingress_port: exact @name("port"); }
        actions = { forward; NoAction; }
        const default_action = NoAction;
        size = 512;
    }
    apply {
        wires.apply();
        count.execute(intrinsic.ingress_port);
    }
}

control Leave(packet_out packet, inout headers_t hdr, in metadata_t md,
              in ingress_intrinsic_metadata_for_deparser_t deparser) {
    apply {}
}

parser Departure(packet_in packet, out headers_t hdr, out metadata_t md, out egress_intrinsic_metadata_t intrinsic) {
    state start {
        packet.extract(intrinsic);
        transition accept;
    }
}

control Egress(inout headers_t hdr, inout metadata_t md, in egress_intrinsic_metadata_t intrinsic,
               in egress_intrinsic_metadata_from_parser_t parsed,
               inout egress_intrinsic_metadata_for_deparser_t deparser,
               inout egress_intrinsic_metadata_for_output_port_t port) {
    apply {}
}

control Depart(packet_out packet, inout headers_t hdr, in metadata_t md,
               in egress_intrinsic_metadata_for_deparser_t deparser) {
    apply {}
}

Pipeline(Arrival(), Wire(), Leave(), Departure(), Egress(), Depart()) pipe;

Switch(pipe) main;
