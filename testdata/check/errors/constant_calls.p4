// Constant arguments with which a call fails, or does nothing.
#include <v1model.p4>

header item_t { bit<8> kind; }
header odd_t { bit<4> kind; bit<8> more; varbit<64> rest; }
header long_t { bit<8> kind; varbit<64> rest; }
struct headers_t { item_t item; item_t[4] items; odd_t odd; long_t long; }
struct meta_t { bit<16> number; bit<8> byte; }
const bit<32> TOO_MANY = 72;

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t standard) {
    bit<32> fixed = 12;
    bit<32> known = 12;
    state start {
        packet.extract(hdr.item);
        meta = { 0, hdr.item.kind };
        transition select(hdr.item.kind) { 1: long; 2: odd; _: accept; }
    }
    state long {
        packet.extract(hdr.long, 3);                            // WARNING constant-argument
        packet.extract(hdr.long, TOO_MANY);                     // WARNING constant-argument extracted-twice
        packet.extract(hdr.long, 64);                           // WARNING extracted-twice
        packet.extract(hdr.long, fixed);                        // WARNING constant-argument extracted-twice
        packet.extract(hdr.long, (bit<32>)hdr.item.kind);       // WARNING extracted-twice
        known = 16;
        packet.extract(hdr.long, known);                        // WARNING extracted-twice
        transition accept;
    }
    state odd {
        packet.extract(hdr.odd, 4);
        packet.extract(hdr.odd, 8);                             // WARNING constant-argument extracted-twice
        packet.advance(0xFFFFFFFF);                             // WARNING constant-argument
        packet.advance(4);                                      // WARNING constant-argument
        packet.advance(16);
        verify(hdr.item.kind != 3, error.NoError);              // WARNING constant-argument
        verify(hdr.item.kind != 4, error.NoMatch);
        transition accept;
    }
}

control Draw(inout meta_t meta)(bit<16> low) {
    apply { random(meta.number, low, 3); }
}

control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t standard) {
    Draw(9) draw;
    counter(4, CounterType.packets) seen;
    bit<32> always = 4;
    bit<32> mostly = 4;
    action past() { seen.count(always); }                       // WARNING index-out-of-range
    apply {
        standard.egress_spec = 1;
        random(meta.number, 9, 3);                              // WARNING constant-argument
        random(meta.number, 3, 3);
        random(meta.byte, meta.byte, 3);
        draw.apply(meta);
        hash(meta.number, HashAlgorithm.crc16, 16w1, { hdr.item.kind }, 16w0);  // WARNING constant-argument
        hash(meta.number, HashAlgorithm.crc16, 16w0, { hdr.item.kind }, 16w1);
        truncate(0);                                            // WARNING constant-argument
        truncate(64);
        hdr.items.push_front(5);                                // WARNING constant-argument
        hdr.items.push_front(4);
        hdr.items.pop_front(4);
        past();
        bit<32> here;
        here = 5;
        seen.count(here);                                       // WARNING index-out-of-range
        for (bit<32> i = 3; i < 5; i = i + 1) { seen.count(i); }
        if (meta.byte == 7) { mostly = 1; }
        seen.count(mostly);
        bit<8> small = 4;
        seen.count((bit<32>)small);                             // WARNING index-out-of-range
    }
}

control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t standard) { apply { } }
control V(inout headers_t hdr, inout meta_t meta) { apply {} }
control C(inout headers_t hdr, inout meta_t meta) { apply {} }
control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }

V1Switch(P(), V(), I(), E(), C(), D()) main;
