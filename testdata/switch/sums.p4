/* Hashes of all algorithms over structs and tuples into fields of any width, registers of structs, and clone and its like in their old forms. */
#include <core.p4>
#include <v1model.p4>

struct pair_t {
    bit<4> high;
    bit<36> low;
}

struct counts_t {
    bit<7> packets;
    pair_t last;
    bool seen;
}

header ask_t {
    bit<8> what;
    bit<8> index;
    bit<72> text;       // "123456789" for check values
    bit<128> answer;
}

struct headers_t {
    ask_t ask;
}

struct metadata_t {
    bit<8> kept;
    bit<8> lost;
    pair_t pair;
}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.ask);
        transition accept;
    }
}

control V(inout headers_t hdr, inout metadata_t meta) {
    apply {}
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    register<counts_t>(4) memory;
    Checksum16() sum;
    counts_t counts;
    bit<5> narrow;

    apply {
        standard.egress_spec = 1;
        bit<32> short = 0;
        switch (hdr.ask.what) {
            0: { hash(short, HashAlgorithm.crc16, 32w0, { hdr.ask.text }, 64w0x1_0000_0000); }
            1: { hash(short, HashAlgorithm.crc32, 32w0, { hdr.ask.text }, 64w0x1_0000_0000); }
            2: { hash(short, HashAlgorithm.crc16_custom, 32w0, { hdr.ask.text }, 64w0x1_0000_0000); }
            3: { hash(short, HashAlgorithm.crc32_custom, 32w0, { hdr.ask.text }, 64w0x1_0000_0000); }
            4: { hash(short, HashAlgorithm.csum16, 32w0, { hdr.ask.text }, 64w0x1_0000_0000); }
            5: { hash(short, HashAlgorithm.xor16, 32w0, { hdr.ask.text }, 64w0x1_0000_0000); }
            6: { hash(hdr.ask.answer, HashAlgorithm.identity, 128w0, { hdr.ask.text }, 128w0x1_0000_0000_0000_0000); }
            7: {
                meta.pair = { hdr.ask.text[39:36], hdr.ask.text[35:0] };
                hash(short, HashAlgorithm.crc32, 32w0, { hdr.ask.text[71:40], meta.pair }, 64w0x1_0000_0000);
            }
            8: {
                tuple<bit<32>, bit<40>> parts = { hdr.ask.text[71:40], hdr.ask.text[39:0] };
                hash(narrow, HashAlgorithm.crc32, 8w16, parts, 4w10);
                short = (bit<32>) narrow;
            }
            9: { hash(hdr.ask.answer, HashAlgorithm.crc16, 128w1 << 100, { hdr.ask.text }, 200w1 << 150); }
            10: { short = (bit<32>) sum.get({ hdr.ask.text }); }
            20: {
                memory.read(counts, (bit<32>) hdr.ask.index);
                hdr.ask.answer = (bit<128>) (counts.packets ++ counts.last.high ++ counts.last.low ++ (bit<1>) counts.seen);
                counts.packets = counts.packets + 1;
                counts.last = { hdr.ask.text[3:0], hdr.ask.text[35:0] };
                counts.seen = true;
                memory.write((bit<32>) hdr.ask.index, counts);
            }
            30: {
                if (standard.instance_type == 0) {
                    meta.kept = 7;
                    meta.lost = 8;
                    resubmit<tuple<bit<8>, bit<8>>>({ meta.kept, hdr.ask.index });
                    meta.kept = 9;
                }
            }
            31: { meta.kept = 1; meta.lost = 2; meta.pair = { 3, 4 }; clone3(CloneType.I2E, 1, meta.pair); meta.pair.low = 5; }
            32: {}
            33: { if (standard.instance_type == 0) { meta.kept = 4; meta.lost = 6; resubmit(meta); } }
            default: {}
        }
        if (hdr.ask.what < 20 && short != 0) {
            hdr.ask.answer = (bit<128>) short;
        }
    }
}

control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        if (hdr.ask.what == 32) {
            if (standard.instance_type == 0 && hdr.ask.index == 0) {
                hdr.ask.index = 1;
                meta.kept = 5;
                meta.lost = 6;
                recirculate<bit<8>>(meta.kept);
            }
        }
        if (hdr.ask.what >= 30) {
            hdr.ask.answer = (bit<128>) (meta.kept ++ meta.lost ++ meta.pair.high ++ meta.pair.low);
        }
    }
}

control U(inout headers_t hdr, inout metadata_t meta) {
    apply {}
}

control D(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr);
    }
}

V1Switch(P(), V(), I(), E(), U(), D()) main;
