/* Code on the cells of registers in TNA, and the data of ports. The first byte of a packet says what it asks for. */

#include <core.p4>
#include <tna.p4>

header ask_h {
    bit<8> what;
    bit<8> index;
    bit<8> first;
    bit<8> second;
    bit<32> result;
}

struct headers_t {
    ask_h ask;
}

struct pair_t {
    bit<32> low;
    bit<32> high;
}

struct port_t {
    bit<7> group;
    bit<20> number;
}

struct md_t {
    port_t port;
}

struct empty_t {}

parser Arrival(packet_in packet, out headers_t hdr, out md_t md, out ingress_intrinsic_metadata_t intrinsic) {
    state start {
        packet.extract(intrinsic);
        md.port = port_metadata_unpack<port_t>(packet);
        packet.extract(hdr.ask);
        transition accept;
    }
}

control Work(inout headers_t hdr, inout md_t md, in ingress_intrinsic_metadata_t intrinsic,
             in ingress_intrinsic_metadata_from_parser_t parsed,
             inout ingress_intrinsic_metadata_for_deparser_t deparser,
             inout ingress_intrinsic_metadata_for_tm_t tm) {
    Register<bit<32>, bit<8>>(16, 7) counts;
    RegisterAction<bit<32>, bit<8>, bit<32>>(counts) add = {
        void apply(inout bit<32> value, out bit<32> before) {
            before = value;
            value = value + (bit<32>)hdr.ask.first;
        }
    };
    RegisterAction<bit<32>, bit<8>, bit<32>>(counts) saturate = {
        void apply(inout bit<32> value, out bit<32> after) {
            if (value < 10) {
                value = value |+| 0xfffffffe;
            } else {
                value = 1;
            }
            after = value;
        }
    };
    RegisterAction<bit<32>, bit<8>, bit<32>>(counts) clear = {
        void apply(inout bit<32> value) { value = 0; }
    };

    Register<pair_t, bit<8>>(4, {5, 6}) pairs;
    RegisterParam<bit<32>>(100) step;
    RegisterAction<pair_t, bit<8>, bit<32>>(pairs) exchange = {
        void apply(inout pair_t value, out bit<32> result) {
            if (value.low > value.high) {
                value.low = value.low - value.high;
            } else {
                value.high = value.high + step.read();
            }
            result = value.low + value.high;
        }
    };

    Register<bit<1>, bit<8>>(8) seen;
    RegisterAction<bit<1>, bit<8>, bit<1>>(seen) see = {
        void apply(inout bit<1> value, out bit<1> before) {
            before = value;
            value = 1;
        }
    };

    /* The code changes the variable on which the index depends. */
    RegisterAction<bit<32>, bit<8>, bit<32>>(counts) move = {
        void apply(inout bit<32> value, out bit<32> result) {
            hdr.ask.index = hdr.ask.index + 1;
            value = value + 1;
            result = value;
        }
    };

    action of_table(bit<8> index) { hdr.ask.result = add.execute(index); }
    table indexes {
        key = { hdr.ask.second: exact; }
        actions = { of_table; NoAction; }
        const default_action = NoAction;
        const entries = {
            1: of_table(3);
            2: of_table(4);
        }
    }

    DirectRegister<bit<32>>(1) of_entries;
    DirectRegisterAction<bit<32>, bit<32>>(of_entries) count = {
        void apply(inout bit<32> value, out bit<32> result) {
            value = value + 1;
            result = value;
        }
    };
    action count_entry() { hdr.ask.result = count.execute(); }
    table direct {
        key = { hdr.ask.second: exact; }
        actions = { count_entry; }
        default_action = count_entry;
        registers = of_entries;
        size = 8;
    }

    /* No table names this object, so it has one cell. */
    DirectRegister<bit<32>>() alone;
    DirectRegisterAction<bit<32>, bit<32>>(alone) next = {
        void apply(inout bit<32> value, out bit<32> result) {
            value = value + 3;
            result = value;
        }
    };

    apply {
        if (hdr.ask.what == 1) {
            hdr.ask.result = add.execute(hdr.ask.index);
        } else if (hdr.ask.what == 2) {
            hdr.ask.result = saturate.execute(hdr.ask.index);
        } else if (hdr.ask.what == 3) {
            clear.execute(hdr.ask.index);
        } else if (hdr.ask.what == 4) {
            hdr.ask.result = exchange.execute(hdr.ask.index);
        } else if (hdr.ask.what == 5) {
            bit<1> before = see.execute(hdr.ask.index);
            hdr.ask.result = (bit<32>)before;
        } else if (hdr.ask.what == 6) {
            hdr.ask.result = move.execute(hdr.ask.index);
        } else if (hdr.ask.what == 7) {
            indexes.apply();
        } else if (hdr.ask.what == 8) {
            hdr.ask.result = counts.read(hdr.ask.index);
        } else if (hdr.ask.what == 9) {
            counts.write(hdr.ask.index, hdr.ask.result);
        } else if (hdr.ask.what == 10) {
            direct.apply();
        } else if (hdr.ask.what == 12) {
            hdr.ask.result = next.execute();
        } else if (hdr.ask.what == 11) {
            hdr.ask.first = (bit<8>)md.port.group;
            hdr.ask.result = (bit<32>)md.port.number;
        }
        tm.bypass_egress = 1;
        tm.ucast_egress_port = 3;
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
