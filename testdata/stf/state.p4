// Counters, registers and meters.
#include <core.p4>
#include <v1model.p4>

header cell_t {
    bit<8>  index;
    bit<32> value;
    bit<8>  colour;
}

struct headers_t {
    cell_t cell;
}

struct metadata_t {}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.cell);
        transition accept;
    }
}

control V(inout headers_t hdr, inout metadata_t meta) {
    apply {}
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    counter(4, CounterType.packets_and_bytes) seen;
    register<bit<32>>(4) last;
    meter(4, MeterType.packets) limiter;

    apply {
        bit<32> index = (bit<32>) hdr.cell.index;
        bit<32> before;
        seen.count(index);
        last.read(before, index);
        last.write(index, hdr.cell.value);
        limiter.execute_meter(index, hdr.cell.colour);
        hdr.cell.value = before;
        standard.egress_spec = 1;
    }
}

control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {}
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
