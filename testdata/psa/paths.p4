// Every path of packets in PSA. The first byte of a packet says what ingress does, the second what
// egress does, and notes in front of it say which way it came.
#include <core.p4>
#include <psa.p4>

header order_t {
    bit<8> ingress;
    bit<8> egress;
    bit<32> number;
    bit<8> hops;
}

header note_t {
    bit<8> path;
    bit<32> port;
    bit<16> instance;
    bit<8> class_of_service;
    bit<16> carried;
}

struct headers_t {
    order_t order;
}

struct noted_t {
    note_t note;
    order_t order;
}

struct meta_t {
    bit<8> again;
}

struct egress_meta_t {
    bit<16> carried;
}

struct number_t {
    bit<16> value;
}

header tag_t {
    bit<16> value;
}

struct tagged_t {
    tag_t tag;
}

parser ReadOrder(packet_in packet,
                 out headers_t hdr,
                 inout meta_t meta,
                 in psa_ingress_parser_input_metadata_t input,
                 in number_t resubmitted,
                 in number_t recirculated) {
    state start {
        packet.extract(hdr.order);
        meta.again = (bit<8>) (resubmitted.value + recirculated.value);
        transition accept;
    }
}

control Obey(inout headers_t hdr,
             inout meta_t meta,
             in psa_ingress_input_metadata_t input,
             inout psa_ingress_output_metadata_t output) {
    bool first = input.packet_path == PSA_PacketPath_t.NORMAL;
    apply {
        output.class_of_service = 7;
        if (input.parser_error != error.NoError) {
            send_to_port(output, (PortId_t) 9);
        } else if (!first) {
            // Resubmitted packets have their port, recirculated ones that of recirculation.
            hdr.order.hops = hdr.order.hops + meta.again;
            hdr.order.egress = 0;
            hdr.order.number = (bit<32>) (PortIdUint_t) input.ingress_port;
            send_to_port(output, (PortId_t) 3);
        } else if (hdr.order.ingress == 1) {
            send_to_port(output, (PortId_t) (PortIdUint_t) hdr.order.number);
        } else if (hdr.order.ingress == 2) {
            multicast(output, (MulticastGroup_t) hdr.order.number);
        } else if (hdr.order.ingress == 3) {
            send_to_port(output, (PortId_t) 3);
            output.resubmit = true;
        } else if (hdr.order.ingress == 4) {
            send_to_port(output, PSA_PORT_RECIRCULATE);
        } else if (hdr.order.ingress == 5) {
            // A clone, although the packet is dropped: `drop` is true at first.
            output.clone = true;
            output.clone_session_id = (CloneSessionId_t) hdr.order.number[15:0];
            hdr.order.hops = 99;
        } else if (hdr.order.ingress == 6) {
            // Dropping is stronger than resubmission.
            output.resubmit = true;
        } else if (hdr.order.ingress == 7) {
            // Resubmission is stronger than multicast.
            multicast(output, (MulticastGroup_t) hdr.order.number);
            output.resubmit = true;
        }
    }
}

control Pass(packet_out packet,
             out tagged_t clone_meta,
             out number_t resubmit_meta,
             out number_t normal_meta,
             inout headers_t hdr,
             in meta_t meta,
             in psa_ingress_output_metadata_t output) {
    apply {
        if (psa_clone_i2e(output)) {
            clone_meta.tag.setValid();
            clone_meta.tag.value = 0x5151;
        }
        if (psa_resubmit(output)) {
            resubmit_meta.value = 16;
        }
        if (psa_normal(output)) {
            normal_meta.value = 0x1234;
        }
        packet.emit(hdr);
    }
}

parser ReadAgain(packet_in packet,
                 out noted_t hdr,
                 inout egress_meta_t meta,
                 in psa_egress_parser_input_metadata_t input,
                 in number_t normal_meta,
                 in tagged_t clone_i2e_meta,
                 in tagged_t clone_e2e_meta) {
    state start {
        meta.carried = normal_meta.value;
        transition select(clone_i2e_meta.tag.isValid(), clone_e2e_meta.tag.isValid()) {
            (true, false): ingress_clone;
            (false, true): egress_clone;
            default: read;
        }
    }
    state ingress_clone {
        meta.carried = clone_i2e_meta.tag.value;
        transition read;
    }
    state egress_clone {
        meta.carried = clone_e2e_meta.tag.value;
        packet.extract(hdr.note);
        transition read;
    }
    state read {
        packet.extract(hdr.order);
        transition accept;
    }
}

control Note(inout noted_t hdr,
             inout egress_meta_t meta,
             in psa_egress_input_metadata_t input,
             inout psa_egress_output_metadata_t output) {
    apply {
        bool again = input.packet_path == PSA_PacketPath_t.CLONE_E2E;
        hdr.note.setValid();
        hdr.note.path = 0xff;
        if (input.packet_path == PSA_PacketPath_t.NORMAL_UNICAST) { hdr.note.path = 1; }
        if (input.packet_path == PSA_PacketPath_t.NORMAL_MULTICAST) { hdr.note.path = 2; }
        if (input.packet_path == PSA_PacketPath_t.CLONE_I2E) { hdr.note.path = 3; }
        if (again) { hdr.note.path = 4; }
        hdr.note.port = (bit<32>) (PortIdUint_t) input.egress_port;
        hdr.note.instance = (bit<16>) (EgressInstanceUint_t) input.instance;
        hdr.note.class_of_service = (bit<8>) (ClassOfServiceUint_t) input.class_of_service;
        hdr.note.carried = meta.carried;
        if (input.egress_port == PSA_PORT_RECIRCULATE) {
            hdr.note.setInvalid();
        } else if (input.parser_error != error.NoError) {
            hdr.note.carried = 0xeeee;
        }
        if (hdr.order.egress == 1 && !again) {
            output.clone = true;
            output.clone_session_id = (CloneSessionId_t) 8;
        } else if (hdr.order.egress == 2) {
            egress_drop(output);
        } else if (hdr.order.egress == 3 && !again) {
            output.clone = true;
            output.clone_session_id = (CloneSessionId_t) 8;
            egress_drop(output);
        }
    }
}

control Leave(packet_out packet,
              out tagged_t clone_meta,
              out number_t recirculate_meta,
              inout noted_t hdr,
              in egress_meta_t meta,
              in psa_egress_output_metadata_t output,
              in psa_egress_deparser_input_metadata_t input) {
    apply {
        if (psa_clone_e2e(output)) {
            clone_meta.tag.setValid();
            clone_meta.tag.value = 0xe2e2;
        }
        if (psa_recirculate(output, input)) {
            recirculate_meta.value = 32;
        }
        packet.emit(hdr);
    }
}

IngressPipeline(ReadOrder(), Obey(), Pass()) in_front;
EgressPipeline(ReadAgain(), Note(), Leave()) behind;
PSA_Switch(in_front, PacketReplicationEngine(), behind, BufferingQueueingEngine()) main;
