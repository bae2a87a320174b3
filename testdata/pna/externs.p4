// Every extern that PNA shares with PSA, in the form of p4c's DPDK target. The packets of
// `psa/externs.stf` test it. The first byte of a packet chooses the extern, the next four are its
// argument, and the last four bytes of the header take its result.
#include <core.p4>
#include <dpdk/pna.p4>

header request_t {
    bit<8> what;
    bit<32> argument;
    bit<32> result;
}

header data_t {
    bit<16> a;
    bit<16> b;
}

struct headers_t {
    request_t request;
    data_t data;
}

struct meta_t {
    bit<16> state;
}

struct cell_t {
    bit<8> low;
    bit<64> high;
}

struct message_t {
    bit<8> what;
    bit<32> argument;
}

parser Read(packet_in packet,
            out headers_t hdr,
            inout meta_t meta,
            in pna_main_parser_input_metadata_t input) {
    InternetChecksum() sum;
    value_set<bit<32>>(4) known;
    state start {
        packet.extract(hdr.request);
        transition select(hdr.request.what) {
            20: sum_up;
            21: ask;
            default: accept;
        }
    }
    state sum_up {
        packet.extract(hdr.data);
        sum.add({ hdr.data.a, hdr.data.b });
        sum.subtract({ 16w1 });
        meta.state = sum.get_state();
        transition accept;
    }
    state ask {
        transition select(hdr.request.argument) {
            known: is_known;
            default: accept;
        }
    }
    state is_known {
        meta.state = 0x4b;
        transition accept;
    }
}

control Nothing(in headers_t hdr, inout meta_t meta, in pna_pre_input_metadata_t input, inout pna_pre_output_metadata_t output) {
    apply {
    }
}

control Serve(inout headers_t hdr,
              inout meta_t meta,
              in pna_main_input_metadata_t input,
              inout pna_main_output_metadata_t output) {
    Hash<bit<32>>(PNA_HashAlgorithm_t.CRC32) crc32;
    Hash<bit<16>>(PNA_HashAlgorithm_t.CRC16) crc16;
    Hash<bit<16>>(PNA_HashAlgorithm_t.ONES_COMPLEMENT16) ones;
    Hash<bit<32>>(PNA_HashAlgorithm_t.IDENTITY) identity;
    Hash<bit<16>>(PNA_HashAlgorithm_t.TARGET_DEFAULT) usual;
    Hash<bit<32>>(PNA_HashAlgorithm_t.CRC32_CUSTOM) custom;
    Counter<bit<64>, bit<8>>(4, PNA_CounterType_t.PACKETS_AND_BYTES) counted;
    Meter<bit<8>>(4, PNA_MeterType_t.PACKETS) metered;
    Register<bit<32>, bit<8>>(4) plain;
    Register<bit<32>, bit<8>>(4, 77) begun;
    Register<cell_t, bit<8>>(4) cells;
    Random<bit<8>>(10, 12) drawn;
    DirectCounter<bit<64>>(PNA_CounterType_t.PACKETS) hits;
    DirectMeter(PNA_MeterType_t.PACKETS) rates;
    ActionProfile(8) profile;
    ActionSelector(PNA_HashAlgorithm_t.CRC16, 8, 16) selector;

    action set_result(bit<32> value) {
        hdr.request.result = value;
    }
    action count_and_set(bit<32> value) {
        hits.count();
        hdr.request.result = value;
    }
    action count_twice() {
        hits.count();
        hits.count();
    }
    action do_not_count() {
        hdr.request.result = 3;
    }
    action colour() {
        hdr.request.result = (bit<32>) ((bit<1>) (rates.execute(PNA_MeterColor_t.YELLOW) == PNA_MeterColor_t.YELLOW));
    }
    table direct {
        key = {
            hdr.request.argument : exact;
        }
        actions = {
            count_and_set;
            count_twice;
            do_not_count;
        }
        default_action = count_twice;
        pna_direct_counter = hits;
    }
    table coloured {
        key = {
            hdr.request.argument : exact;
        }
        actions = {
            colour;
            NoAction;
        }
        pna_direct_meter = rates;
    }
    table members {
        key = {
            hdr.request.argument : exact;
        }
        actions = {
            set_result;
            NoAction;
        }
        pna_implementation = profile;
    }
    table groups {
        key = {
            hdr.request.argument : exact;
            hdr.request.result : selector;
        }
        actions = {
            set_result;
            NoAction;
        }
        pna_implementation = selector;
    }
    apply {
        bit<8> index = hdr.request.argument[7:0];
        PNA_MeterColor_t found;
        send_to_port((PortId_t) 2);
        if (hdr.request.what == 1) {
            hdr.request.result = crc32.get_hash(hdr.request.argument);
        } else if (hdr.request.what == 2) {
            hdr.request.result = (bit<32>) crc16.get_hash(hdr.request.argument);
        } else if (hdr.request.what == 3) {
            hdr.request.result = (bit<32>) ones.get_hash({ hdr.request.argument });
        } else if (hdr.request.what == 4) {
            hdr.request.result = identity.get_hash(hdr.request.argument);
        } else if (hdr.request.what == 5) {
            hdr.request.result = (bit<32>) usual.get_hash(hdr.request.argument);
        } else if (hdr.request.what == 6) {
            hdr.request.result = custom.get_hash(hdr.request.argument);
        } else if (hdr.request.what == 7) {
            hdr.request.result = crc32.get_hash(32w100, { hdr.request.argument }, 32w10);
        } else if (hdr.request.what == 8) {
            // Twelve bits: four zeros come before them.
            hdr.request.result = (bit<32>) crc16.get_hash({ hdr.request.argument[11:0] });
        } else if (hdr.request.what == 9) {
            counted.count(index);
        } else if (hdr.request.what == 10) {
            found = metered.dpdk_execute(index, 9);
            if (found == PNA_MeterColor_t.GREEN) { hdr.request.result = 0x67; }
            if (found == PNA_MeterColor_t.YELLOW) { hdr.request.result = 0x79; }
            if (found == PNA_MeterColor_t.RED) { hdr.request.result = 0x72; }
        } else if (hdr.request.what == 11) {
            found = metered.execute(index, PNA_MeterColor_t.RED);
            if (found == PNA_MeterColor_t.RED) { hdr.request.result = 0x72; }
        } else if (hdr.request.what == 12) {
            hdr.request.result = plain.read(index);
            plain.write(index, hdr.request.result + 5);
        } else if (hdr.request.what == 13) {
            hdr.request.result = begun.read(index);
            begun.write(index, 1);
        } else if (hdr.request.what == 14) {
            cell_t cell = cells.read(index);
            hdr.request.result = (bit<32>) (cell.low ++ cell.high[7:0]);
            cell.low = cell.low + 1;
            cell.high = cell.high + 2;
            cells.write(index, cell);
        } else if (hdr.request.what == 15) {
            bit<8> number = drawn.read();
            hdr.request.result = (bit<32>) ((bit<1>) (number >= 10 && number <= 12));
        } else if (hdr.request.what == 16) {
            direct.apply();
        } else if (hdr.request.what == 17) {
            coloured.apply();
        } else if (hdr.request.what == 18) {
            members.apply();
        } else if (hdr.request.what == 19) {
            groups.apply();
        } else if (hdr.request.what == 20 || hdr.request.what == 21) {
            hdr.request.result = (bit<32>) meta.state;
        }
    }
}

control Leave(packet_out packet, in headers_t hdr, in meta_t meta, in pna_main_output_metadata_t output) {
    InternetChecksum() sum;
    Checksum<bit<16>>(PNA_HashAlgorithm_t.ONES_COMPLEMENT16) whole;
    Checksum<bit<32>>(PNA_HashAlgorithm_t.CRC32) crc;
    Digest<message_t>() messages;
    apply {
        headers_t sent = hdr;
        if (hdr.request.what == 20) {
            // The sum of the parser goes on, and is completed.
            sum.set_state(meta.state);
            sum.add({ 16w1 });
            sent.data.a = sum.get();
            sum.clear();
            sent.data.b = sum.get();
        } else if (hdr.request.what == 22) {
            messages.pack({ hdr.request.what, hdr.request.argument });
        } else if (hdr.request.what == 23) {
            whole.update({ hdr.request.argument[31:16] });
            whole.update(hdr.request.argument[15:0]);
            sent.request.result = (bit<32>) whole.get();
        } else if (hdr.request.what == 24) {
            crc.update(16w0xffff);
            crc.clear();
            crc.update(hdr.request.argument);
            sent.request.result = crc.get();
        }
        packet.emit(sent);
    }
}

PNA_NIC(Read(), Nothing(), Serve(), Leave()) main;
