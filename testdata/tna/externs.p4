/* The externs of TNA. The first byte of a packet says what it asks for. */

#include <core.p4>
#include <tna.p4>

header ask_h {
    bit<8> what;
    bit<8> number;
    bit<8> pad;
    bit<8> more;
    bit<64> result;
}

header sum_h {
    bit<16> first;
    bit<16> second;
    bit<16> checksum;
}

struct headers_t {
    ask_h ask;
    sum_h sum;
}

struct note_t {
    bit<8> what;
    bit<64> result;
}

struct md_t {
    bit<16> residual;
    bool wrong;
    bit<8> what;
}

struct empty_t {}

parser Arrival(packet_in packet, out headers_t hdr, out md_t md, out ingress_intrinsic_metadata_t intrinsic) {
    Checksum() verified;
    Checksum() rest;
    value_set<bit<8>>(4) kinds;

    state start {
        packet.extract(intrinsic);
        packet.advance(PORT_METADATA_SIZE);
        packet.extract(hdr.ask);
        md.what = hdr.ask.what;
        transition select(hdr.ask.what) {
            kinds: listed;
            1 .. 2: sum;
            default: accept;
        }
    }
    state listed {
        md.what = 0xff;
        transition accept;
    }
    state sum {
        packet.extract(hdr.sum);
        verified.add(hdr.sum);
        md.wrong = verified.verify();
        rest.subtract({hdr.sum.checksum});
        rest.subtract({hdr.sum.first});
        rest.subtract_all_and_deposit(md.residual);
        transition accept;
    }
}

control Work(inout headers_t hdr, inout md_t md, in ingress_intrinsic_metadata_t intrinsic,
             in ingress_intrinsic_metadata_from_parser_t parsed,
             inout ingress_intrinsic_metadata_for_deparser_t deparser,
             inout ingress_intrinsic_metadata_for_tm_t tm) {
    Hash<bit<32>>(HashAlgorithm_t.CRC32) crc32;
    Hash<bit<16>>(HashAlgorithm_t.CRC16) crc16;
    Hash<bit<8>>(HashAlgorithm_t.IDENTITY) identity;
    CRCPolynomial<bit<16>>(0x1021, false, true, false, 0xffff, 0) ccitt;
    Hash<bit<16>>(HashAlgorithm_t.CUSTOM, ccitt) custom;
    Hash<bit<8>>(HashAlgorithm_t.CUSTOM, ccitt) upper;
    Random<bit<4>>() random;
    Counter<bit<32>, bit<8>>(8, CounterType_t.PACKETS_AND_BYTES) counts;
    DirectCounter<bit<32>>(CounterType_t.BYTES) hits;
    Meter<bit<8>>(8, MeterType_t.PACKETS) meter;
    ActionProfile(16) profile;
    Hash<bit<14>>(HashAlgorithm_t.CRC16) selecting;
    ActionSelector(profile, selecting, SelectorMode_t.FAIR, 8, 4) selector;

    action give(bit<64> number) {
        hits.count();
        hdr.ask.result = number;
    }
    action serve(bit<64> number) { hdr.ask.result = number; }
    table ranges {
        key = {
            hdr.ask.number: range;
            hdr.ask.more: ternary;
        }
        actions = { give; }
        counters = hits;
        default_action = give(1);
        const entries = {
            (10 .. 20, _): give(2);
            (_, 1 &&& 1): give(3);
        }
        size = 16;
    }
    table selected {
        key = {
            hdr.ask.number: exact;
            hdr.ask.more: selector;
        }
        actions = { serve; NoAction; }
        implementation = selector;
        default_action = NoAction;
        size = 16;
    }

    apply {
        if (md.what == 1 || md.what == 2) {
            hdr.ask.number = (bit<8>)(bit<1>)md.wrong;
            if (md.what == 2) {
                hdr.sum.first = hdr.sum.first + 1;
            }
        } else if (md.what == 3) {
            hdr.ask.result = (bit<64>)crc32.get({hdr.ask.number, hdr.ask.more});
        } else if (md.what == 4) {
            hdr.ask.result = (bit<64>)crc16.get({hdr.ask.number, hdr.ask.more});
        } else if (md.what == 5) {
            hdr.ask.result = (bit<64>)identity.get({hdr.ask.number, hdr.ask.more});
        } else if (md.what == 6) {
            hdr.ask.result = 48w0 ++ custom.get({hdr.ask.number, hdr.ask.more});
            hdr.ask.pad = upper.get({hdr.ask.number, hdr.ask.more});
        } else if (md.what == 7) {
            hdr.ask.result = (bit<64>)max(hdr.ask.number, hdr.ask.more);
            hdr.ask.pad = min(hdr.ask.number, hdr.ask.more);
        } else if (md.what == 8) {
            bit<8> shifted = 0;
            funnel_shift_right(shifted, hdr.ask.number, hdr.ask.more, 4);
            hdr.ask.result = (bit<64>)shifted;
            hdr.ask.pad = (bit<8>)sizeInBytes(hdr.ask);
        } else if (md.what == 9) {
            counts.count(hdr.ask.number);
            counts.count(2, 10);
            hdr.ask.pad = meter.execute(1);
        } else if (md.what == 10) {
            ranges.apply();
        } else if (md.what == 11) {
            bit<4> number = random.get();
            hdr.ask.result = (bit<64>)(bit<1>)(bool)(number < 15 || number == 15);
        } else if (md.what == 12) {
            selected.apply();
        } else if (md.what == 13) {
            deparser.digest_type = 1;
        }
        hdr.ask.what = md.what;
        tm.ucast_egress_port = 3;
    }
}

control Leave(packet_out packet, inout headers_t hdr, in md_t md,
              in ingress_intrinsic_metadata_for_deparser_t deparser) {
    Checksum() checksum;
    Digest<note_t>() notes;
    apply {
        if (deparser.digest_type == 1) {
            notes.pack({hdr.ask.what, hdr.ask.result});
        }
        if (hdr.sum.isValid()) {
            hdr.sum.checksum = checksum.update({hdr.sum.first, md.residual});
        }
        packet.emit(hdr);
    }
}

parser Departure(packet_in packet, out headers_t hdr, out empty_t md, out egress_intrinsic_metadata_t intrinsic) {
    state start {
        packet.extract(intrinsic);
        packet.extract(hdr.ask);
        transition accept;
    }
}

control Count(inout headers_t hdr, inout empty_t md, in egress_intrinsic_metadata_t intrinsic,
              in egress_intrinsic_metadata_from_parser_t parsed,
              inout egress_intrinsic_metadata_for_deparser_t deparser,
              inout egress_intrinsic_metadata_for_output_port_t port) {
    Counter<bit<32>, bit<8>>(8, CounterType_t.BYTES) lengths;
    apply { lengths.count(hdr.ask.number); }
}

control Depart(packet_out packet, inout headers_t hdr, in empty_t md,
               in egress_intrinsic_metadata_for_deparser_t deparser) {
    apply { packet.emit(hdr.ask); }
}

Pipeline(Arrival(), Work(), Leave(), Departure(), Count(), Depart()) pipe;

Switch(pipe) main;
