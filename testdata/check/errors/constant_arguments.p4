// Constants that name no element of an array, and no list of fields.
#include <v1model.p4>

header item_t { bit<8> kind; bit<8> count; }
struct headers_t { item_t item; }
struct meta_t { @field_list(1) bit<8> kept; }
const bit<32> SIZE = 4;

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.item);
        transition accept;
    }
}

control Cells(inout headers_t hdr, in bit<32> index)(bit<32> size) {
    register<bit<8>>(SIZE) four;
    register<bit<8>>(size) any;
    action zero(in bit<8> at) { four.write((bit<32>)at, 0); }
    apply {
        four.write(index, hdr.item.count);
        any.write(index, hdr.item.count);
        zero(3);
        zero(4);                                        // WARNING index-out-of-range
    }
}

control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t standard) {
    register<bit<8>>(SIZE) cells;
    counter(SIZE, CounterType.packets) seen;
    meter(2 * SIZE, MeterType.packets) rates;
    Cells(8) part;
    action count(bit<32> index) { seen.count(index); }
    action copy(bit<8> list) { clone_preserving_field_list(CloneType.I2E, 1, list); }
    table t {
        key = { hdr.item.kind: exact; }
        actions = { count; copy; }
        default_action = count(5);                      // WARNING index-out-of-range
        const entries = {
            1: count(3);
            2: count(4);                                // WARNING index-out-of-range
            3: copy(1);
            4: copy(7);                                 // WARNING annotation-number
            5: copy(0);
        }
    }
    apply {
        standard.egress_spec = 1;
        meta.kept = hdr.item.kind;
        cells.read(hdr.item.count, SIZE - 1);
        cells.read(hdr.item.count, SIZE);               // WARNING index-out-of-range
        cells.write(0xFFFFFFFF, 0);                     // WARNING index-out-of-range
        seen.count(3);
        seen.count(4);                                  // WARNING index-out-of-range
        rates.execute_meter(7, hdr.item.count);
        rates.execute_meter(8, hdr.item.count);         // WARNING index-out-of-range
        part.apply(hdr, 3);
        part.apply(hdr, 5);                             // WARNING index-out-of-range
        t.apply();
    }
}

control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t standard) {
    apply { hdr.item.count = meta.kept; }
}
control V(inout headers_t hdr, inout meta_t meta) { apply {} }
control C(inout headers_t hdr, inout meta_t meta) { apply {} }
control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }

V1Switch(P(), V(), I(), E(), C(), D()) main;
