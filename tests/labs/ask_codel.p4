/* ask_codel.p4 - asks CoDel of the lab pacing about the packet and the time in a frame. */

#include <core.p4>
#include <v1model.p4>
#include "headers.p4"
#include "codel.p4"

const port_t TO_HOST = 2;

header question_t {
    mac_t dstAddr;
    mac_t srcAddr;
    bit<16> etherType;
    time_t now;
    bit<32> waited;
    bit<16> behind;
    bit<8> can_be_marked;
    bit<8> answer;              // 1: CoDel drops, 2: it marks
}

struct questions {
    question_t question;
}

parser MyParser(packet_in packet, out questions hdr, inout metadata meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.question);
        transition accept;
    }
}

control MyIngress(inout questions hdr, inout metadata meta, inout standard_metadata_t standard) {
    apply {
        standard.egress_spec = TO_HOST;
    }
}

control MyEgress(inout questions hdr, inout metadata meta, inout standard_metadata_t standard) {
    Codel() codel;

    apply {
        bool drops;
        bool marks;
        codel.apply(standard.egress_port, hdr.question.now, hdr.question.waited,
                    (bit<19>) hdr.question.behind, hdr.question.can_be_marked == 1, drops, marks);
        hdr.question.answer = drops ? 8w1 : marks ? 8w2 : 8w0;
    }
}

control MyChecksum(inout questions hdr, inout metadata meta) {
    apply {}
}

control MyDeparser(packet_out packet, in questions hdr) {
    apply {
        packet.emit(hdr.question);
    }
}

V1Switch(MyParser(), MyChecksum(), MyIngress(), MyEgress(), MyChecksum(), MyDeparser()) main;
