/*
 * Registers of T2NA as queues, stacks and logs, and a ghost thread. The first byte of a packet says
 * what it asks for.
 */

#include <core.p4>
#include <t2na.p4>

header ask_h {
    bit<8> what;
    bit<8> number;
    bit<16> more;
    bit<32> result;
}

struct headers_t {
    ask_h ask;
}

struct md_t {}

struct empty_t {}

/* The ghost thread and ingress share it. */
Register<bit<32>, bit<11>>(2048) depths;

parser Arrival(packet_in packet, out headers_t hdr, out md_t md, out ingress_intrinsic_metadata_t intrinsic) {
    state start {
        packet.extract(intrinsic);
        packet.advance(PORT_METADATA_SIZE);
        packet.extract(hdr.ask);
        transition accept;
    }
}

control Work(inout headers_t hdr, inout md_t md, in ingress_intrinsic_metadata_t intrinsic,
             in ingress_intrinsic_metadata_from_parser_t parsed,
             inout ingress_intrinsic_metadata_for_deparser_t deparser,
             inout ingress_intrinsic_metadata_for_tm_t tm,
             in ghost_intrinsic_metadata_t ghost) {
    Register<bit<32>, bit<8>>(3) numbers;
    RegisterAction<bit<32>, bit<8>, bit<32>>(numbers) put = {
        void apply(inout bit<32> value, out bit<32> result) {
            result = 1;
            value = (bit<32>)hdr.ask.number;
        }
        void overflow(inout bit<32> value, out bit<32> result) { result = 0xff; }
    };
    RegisterAction<bit<32>, bit<8>, bit<32>>(numbers) take = {
        void apply(inout bit<32> value, out bit<32> result) { result = value; }
        void underflow(inout bit<32> value, out bit<32> result) { result = 0xee; }
    };
    Register<bit<32>, bit<8>>(2) pile;
    RegisterAction<bit<32>, bit<8>, bit<32>>(pile) onto = {
        void apply(inout bit<32> value, out bit<32> result) {
            result = 1;
            value = (bit<32>)hdr.ask.number;
        }
    };
    RegisterAction<bit<32>, bit<8>, bit<32>>(pile) off = {
        void apply(inout bit<32> value, out bit<32> result) { result = value; }
    };
    Register<bit<32>, bit<8>>(2, 9) log;
    RegisterAction<bit<32>, bit<8>, bit<32>>(log) note = {
        void apply(inout bit<32> value, out bit<32> result) {
            result = value;
            value = (bit<32>)hdr.ask.number;
        }
    };
    Register<bit<32>, bit<8>>(1) bytes;
    RegisterAction<bit<32>, bit<8>, bit<32>>(bytes) smallest = {
        void apply(inout bit<32> value, out bit<32> result) {
            bit<4> at;
            value = 0x40302010;
            result = (bit<32>)this.min8(value, hdr.ask.more, at);
            hdr.ask.number = (bit<8>)at;
        }
    };
    RegisterAction<bit<32>, bit<11>, bit<32>>(depths) departures = {
        void apply(inout bit<32> value, out bit<32> result) { result = value; }
    };

    apply {
        tm.ucast_egress_port = 3;
        if (hdr.ask.what == 1) {
            hdr.ask.result = put.enqueue();
        } else if (hdr.ask.what == 2) {
            hdr.ask.result = take.dequeue();
        } else if (hdr.ask.what == 3) {
            hdr.ask.result = onto.push();
        } else if (hdr.ask.what == 4) {
            hdr.ask.result = off.pop();
        } else if (hdr.ask.what == 5) {
            hdr.ask.result = note.execute_log();
        } else if (hdr.ask.what == 6) {
            log.clear(7);
        } else if (hdr.ask.what == 7) {
            hdr.ask.result = smallest.execute(0);
        } else if (hdr.ask.what == 8) {
            hdr.ask.result = departures.execute(0);
        }
    }
}

control Leave(packet_out packet, inout headers_t hdr, in md_t md,
              in ingress_intrinsic_metadata_for_deparser_t deparser) {
    apply { packet.emit(hdr.ask); }
}

parser NoParser(packet_in packet, out empty_t hdr, out empty_t md, out egress_intrinsic_metadata_t intrinsic) {
    state start {
        packet.extract(intrinsic);
        transition accept;
    }
}

control NoEgress(inout empty_t hdr, inout empty_t md, in egress_intrinsic_metadata_t intrinsic,
                 in egress_intrinsic_metadata_from_parser_t parsed,
                 inout egress_intrinsic_metadata_for_deparser_t deparser,
                 inout egress_intrinsic_metadata_for_output_port_t port) {
    apply {}
}

control NoDeparser(packet_out packet, inout empty_t hdr, in empty_t md,
                   in egress_intrinsic_metadata_for_deparser_t deparser) {
    apply {}
}

/* Counts the packets that have left each queue. */
control Ghost(in ghost_intrinsic_metadata_t ghost) {
    RegisterAction<bit<32>, bit<11>, bit<32>>(depths) count = {
        void apply(inout bit<32> value) { value = value + 1; }
    };
    apply { count.execute(ghost.qid); }
}

Pipeline(Arrival(), Work(), Leave(), NoParser(), NoEgress(), NoDeparser(), Ghost()) pipe;

Switch(pipe) main;
