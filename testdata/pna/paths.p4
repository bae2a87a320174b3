// Every path of packets in PNA 0.5. The first byte of a packet says what the main control does, and
// a note in front of it says what the control knew.
#include <core.p4>
#include <pna.p4>

header order_t {
    bit<8> what;
    bit<32> number;
    bit<8> hops;
}

header note_t {
    bit<8> direction;
    bit<8> pass;
    bit<32> port;
    bit<8> seen;
}

struct headers_t {
    note_t note;
    order_t order;
}

struct meta_t {
    bit<8> seen;
    bool asks;
}

parser Read(packet_in packet, out headers_t hdr, inout meta_t meta, in pna_main_parser_input_metadata_t input) {
    state start {
        // Metadata does not survive a recirculation.
        meta.seen = meta.seen + 1;
        transition select(input.pass, input.loopedback) {
            ((PassNumber_t) 0, false): first;
            default: again;
        }
    }
    state first {
        packet.extract(hdr.order);
        transition accept;
    }
    state again {
        packet.extract(hdr.note);
        transition first;
    }
}

control Decide(in headers_t hdr, inout meta_t meta, in pna_pre_input_metadata_t input, inout pna_pre_output_metadata_t output) {
    apply {
        meta.seen = meta.seen + 16;
        output.decrypt = hdr.order.what == 9;
        if (hdr.order.what == 10 && input.pass == (PassNumber_t) 0) {
            recirculate();
        }
        if (input.parser_error != error.NoError) {
            meta.seen = meta.seen + 32;
        }
    }
}

control Obey(inout headers_t hdr, inout meta_t meta, in pna_main_input_metadata_t input, inout pna_main_output_metadata_t output) {
    apply {
        hdr.note.setValid();
        hdr.note.direction = SelectByDirection(input.direction, 8w0x4e, 8w0x48);
        hdr.note.pass = (bit<8>) (PassNumberUint_t) input.pass;
        hdr.note.port = (PortIdUint_t) input.input_port;
        hdr.note.seen = meta.seen;
        if (input.parser_error != error.NoError) {
            send_to_port((PortId_t) 5);
        } else if (hdr.order.what == 1) {
            drop_packet();
            send_to_port((PortId_t) hdr.order.number);
        } else if (hdr.order.what == 2) {
            send_to_port((PortId_t) 3);
            drop_packet();
        } else if (hdr.order.what == 3) {
            if (hdr.order.hops != 0) {
                hdr.order.hops = hdr.order.hops - 1;
                recirculate();
            }
            send_to_port((PortId_t) 3);
        } else if (hdr.order.what == 4) {
            mirror_packet((MirrorSlotId_t) 0, (MirrorSessionId_t) 7);
            mirror_packet((MirrorSlotId_t) 0, (MirrorSessionId_t) 8);
            mirror_packet((MirrorSlotId_t) 3, (MirrorSessionId_t) 9);
            hdr.order.hops = 0x77;
            drop_packet();
        } else if (hdr.order.what == 5) {
            recirculate();
            drop_packet();
        } else if (hdr.order.what == 6) {
            mirror_packet((MirrorSlotId_t) 1, (MirrorSessionId_t) 200);
            send_to_port((PortId_t) 3);
        } else if (hdr.order.what == 7) {
            output.class_of_service = (ClassOfService_t) 3;
            send_to_port((PortId_t) 3);
        } else if (hdr.order.what == 9 || hdr.order.what == 10) {
            send_to_port((PortId_t) 3);
        }
    }
}

control Leave(packet_out packet, in headers_t hdr, in meta_t meta, in pna_main_output_metadata_t output) {
    apply {
        packet.emit(hdr);
    }
}

PNA_NIC(Read(), Decide(), Obey(), Leave()) main;
