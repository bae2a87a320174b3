/*
 * Filters, math units and the counters of parsers in TNA. The first byte of a packet says what it
 * asks for.
 */

#include <core.p4>
#include <tna.p4>

header ask_h {
    bit<8> what;
    bit<8> index;
    bit<16> number;
    bit<32> result;
}

/* A label. The number of labels is in the packet. */
header label_h {
    bit<8> label;
}

header count_h {
    bit<8> count;
}

struct headers_t {
    ask_h ask;
    count_h count;
    label_h[4] labels;
}

struct md_t {}

struct empty_t {}

parser Arrival(packet_in packet, out headers_t hdr, out md_t md, out ingress_intrinsic_metadata_t intrinsic) {
    ParserCounter() left;
    ParserPriority() priority;

    state start {
        packet.extract(intrinsic);
        packet.advance(PORT_METADATA_SIZE);
        packet.extract(hdr.ask);
        transition select(hdr.ask.what) {
            0x20: labels;
            0x21: half;
            default: accept;
        }
    }
    state labels {
        priority.set(3);
        packet.extract(hdr.count);
        left.set(hdr.count.count);
        transition check;
    }
    /* The upper half of the byte, less one. Numbers above 0x4f are an error. */
    state half {
        packet.extract(hdr.count);
        left.set(hdr.count.count, 0x4f, 4, 3, 0xff);
        transition select(left.is_negative()) {
            true: accept;
            false: check;
        }
    }
    state check {
        transition select(left.is_zero()) {
            true: accept;
            false: label;
        }
    }
    state label {
        packet.extract(hdr.labels.next);
        left.decrement(1);
        transition check;
    }
}

control Work(inout headers_t hdr, inout md_t md, in ingress_intrinsic_metadata_t intrinsic,
             in ingress_intrinsic_metadata_from_parser_t parsed,
             inout ingress_intrinsic_metadata_for_deparser_t deparser,
             inout ingress_intrinsic_metadata_for_tm_t tm) {
    Lpf<bit<16>, bit<8>>(4) average;
    Wred<bit<16>, bit<8>>(4, 1, 0) early;
    DirectLpf<bit<16>>() of_entries;
    DirectWred<bit<16>>(7, 9) early_of_entries;

    action measure() { hdr.ask.result = (bit<32>)of_entries.execute(hdr.ask.number); }
    table measured {
        key = { hdr.ask.index: exact; }
        actions = { measure; NoAction; }
        default_action = NoAction;
        filters = of_entries;
        size = 8;
    }
    action mark() { hdr.ask.result = (bit<32>)early_of_entries.execute(hdr.ask.number); }
    table marked {
        key = { hdr.ask.index: exact; }
        actions = { mark; NoAction; }
        default_action = mark;
        filters = early_of_entries;
        size = 8;
    }

    MathUnit<bit<32>>(MathOp_t.SQR, 1) square;
    MathUnit<bit<32>>(MathOp_t.DIV, 1000, 2) divide;
    MathUnit<bit<32>>(true, -1, 3, {15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0}) own;
    Register<bit<32>, bit<8>>(1) computed;
    RegisterAction<bit<32>, bit<8>, bit<32>>(computed) squares = {
        void apply(inout bit<32> value, out bit<32> result) {
            value = square.execute((bit<32>)hdr.ask.number);
            result = value;
        }
    };
    RegisterAction<bit<32>, bit<8>, bit<32>>(computed) divides = {
        void apply(inout bit<32> value, out bit<32> result) {
            value = divide.execute((bit<32>)hdr.ask.number);
            result = value;
        }
    };
    RegisterAction<bit<32>, bit<8>, bit<32>>(computed) computes = {
        void apply(inout bit<32> value, out bit<32> result) {
            value = own.execute((bit<32>)hdr.ask.number);
            result = value;
        }
    };
    RegisterAction<bit<32>, bit<8>, bit<32>>(computed) compares = {
        void apply(inout bit<32> value, out bit<32> result) {
            result = this.predicate(hdr.ask.index == 1, hdr.ask.number == 1);
        }
    };

    apply {
        tm.ucast_egress_port = 3;
        tm.bypass_egress = 1;
        if (hdr.ask.what == 1) {
            hdr.ask.result = (bit<32>)average.execute(hdr.ask.number, hdr.ask.index);
        } else if (hdr.ask.what == 2) {
            hdr.ask.result = (bit<32>)early.execute(hdr.ask.number, hdr.ask.index);
        } else if (hdr.ask.what == 3) {
            measured.apply();
        } else if (hdr.ask.what == 4) {
            marked.apply();
        } else if (hdr.ask.what == 0x10) {
            hdr.ask.result = squares.execute(0);
        } else if (hdr.ask.what == 0x11) {
            hdr.ask.result = divides.execute(0);
        } else if (hdr.ask.what == 0x12) {
            hdr.ask.result = computes.execute(0);
        } else if (hdr.ask.what == 0x13) {
            hdr.ask.result = compares.execute(0);
        } else if (hdr.ask.what == 0x20 || hdr.ask.what == 0x21) {
            /* The number of labels. */
            hdr.ask.result = 0;
            if (hdr.labels[3].isValid()) {
                hdr.ask.result = 4;
            } else if (hdr.labels[2].isValid()) {
                hdr.ask.result = 3;
            } else if (hdr.labels[1].isValid()) {
                hdr.ask.result = 2;
            } else if (hdr.labels[0].isValid()) {
                hdr.ask.result = 1;
            }
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

Pipeline(Arrival(), Work(), Leave(), NoParser(), NoEgress(), NoDeparser()) pipe;

Switch(pipe) main;
