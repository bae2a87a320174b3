// Numbers without width reach an extern signed, in as few bits as they need.
#include "pipe.p4"

struct headers { }
struct meta_t { bit<8> m; }

extern void record(int level, string text);

parser P(packet_in packet, out headers hdr, inout meta_t meta) {
    state start { transition accept; }
}

control Add(int amount, inout bit<8> sum) {
    apply {
        sum = sum + amount;
        record(amount * 100, "added");
    }
}

control C(inout headers hdr, inout meta_t meta) {
    apply {
        Add.apply(3, meta.m);
        record(-1, "last");
    }
}

control D(packet_out packet, in headers hdr, in meta_t meta) {
    apply { }
}

Pipe(P(), C(), D()) main;
