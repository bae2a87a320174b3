// Stacks within arrays: pushed, popped and asked for their counters where the array's index is known at run time only.
#include "pipe.p4"

header item { bit<8> value; }
struct row { item[2] items; }
struct headers { item first; row[2] rows; }
struct meta_t { bit<8> i; }

parser P(packet_in packet, out headers hdr, inout meta_t meta) {
    state start {
        packet.extract(hdr.first);
        packet.extract(hdr.rows[0].items.next);
        packet.extract(hdr.rows[1].items.next);
        packet.extract(hdr.rows[1].items.next);
        note((bit<8>)hdr.rows[hdr.first.value].items.lastIndex);
        note(hdr.rows[hdr.first.value].items.last.value);
        transition accept;
    }
}

control C(inout headers hdr, inout meta_t meta) {
    apply {
        bit<8> i = hdr.first.value;
        hdr.rows[i].items.push_front(1);
        hdr.rows[i].items[0] = { 0xee };
        hdr.rows[1 - i].items.pop_front(1);
    }
}

control D(packet_out packet, in headers hdr, in meta_t meta) {
    apply { packet.emit(hdr); }
}

Pipe(P(), C(), D()) main;

//> 00 11 21 22
//= log 0 11
//= out 00ee1122
//> 01 11 21 22
//= log 1 22
//= out 01ee21
//> 02 11 21 22
//= log ff
//= reject StackOutOfBounds
