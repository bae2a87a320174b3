// Header stacks: next, last, indices known and unknown, push and pop, assignment, comparison.
#include "pipe.p4"

header item { bit<4> last; bit<4> value; }
struct headers { item[4] items; item[4] copy; }
struct meta_t { bit<8> i; }

parser P(packet_in packet, out headers hdr, inout meta_t meta) {
    state start {
        packet.extract(hdr.items.next);
        transition select(hdr.items.last.last) {
            0: start;
            2: past_the_end;
            default: done;
        }
    }
    state past_the_end {
        note(hdr.copy.last.value ++ 4w0);
        transition accept;
    }
    state done {
        note((bit<8>)hdr.items.lastIndex);
        hdr.items[hdr.items.lastIndex].last = 7;
        transition accept;
    }
}

control C(inout headers hdr, inout meta_t meta) {
    apply {
        hdr.copy = hdr.items;
        if (hdr.copy == hdr.items) { note(0xaa); }
        bit<8> i = 1;
        // The index is evaluated before the right side changes it.
        hdr.items[i].value = (bit<4>)note(3);
        bit<8> sum = 0;
        for (bit<8> j in 8w0..5) {
            if (hdr.items[j].isValid()) {
                sum = sum + (bit<8>)hdr.items[j].value;
            } else {
                note(0xe0 + j);
            }
        }
        note(sum);
        for (item h in hdr.items) {
            if (!h.isValid()) { continue; }
            hdr.items[0].value = h.value;
            note((bit<8>)h.value);
        }
        // Past the end nothing is written and nothing is valid.
        i = 9;
        hdr.items[i].value = 15;
        hdr.items[i].setValid();
        note((bit<8>)hdr.items[i].value);
        hdr.items.push_front(1);
        hdr.items[0] = { 1, 9 };
        i = 3;
        hdr.copy[i] = hdr.items[i];
        hdr.copy[i - 3] = hdr.items[0];
        hdr.copy.pop_front(1);
        hdr.items[2].setInvalid();
        if (hdr.copy == hdr.items) { note(0xbb); }
        hdr.items[i].setInvalid();
        show((bit<8>)(bit<32>)hdr.items.size);
    }
}

control D(packet_out packet, in headers hdr, in meta_t meta) {
    apply {
        packet.emit(hdr.items);
        packet.emit(hdr.copy);
    }
}

Pipe(P(), C(), D()) main;

//> 01 02 03 14
//= log 3 aa 3 e4 e5 b 1 3 3 4 0 4
//= out 1904020303
//> 01 02 14 ff
//= log 2 aa 3 e3 e4 e5 8 1 3 4 0 4
//= out 1904027474ff
//> 00 00 00 00 00
//= reject StackOutOfBounds
//> 05
//= reject PacketTooShort
//> 21 00
//= reject StackOutOfBounds
