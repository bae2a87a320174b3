// Abstract methods: implemented where the object is made, called by the program, calling each other and what stands around.
#include "pipe.p4"

header byte_t { bit<8> a; bit<8> b; }
struct headers { byte_t h; }
struct meta_t { bit<8> m; }

extern Rule {
    Rule();
    abstract bit<8> limit(in bit<8> value);
    abstract void count(inout bit<8> total, in bit<8> value);
}

Rule() fixed = {
    bit<8> limit(in bit<8> value) { return value > 0x10 ? 8w0x10 : value; }
    void count(inout bit<8> total, in bit<8> value) { total = total + this.limit(value); }
};

parser P(packet_in packet, out headers hdr, inout meta_t meta) {
    state start {
        packet.extract(hdr.h);
        transition accept;
    }
}

control C(inout headers hdr, inout meta_t meta) {
    cell(0x20) outer;
    Rule() first = {
        cell(3) inner;
        bit<8> limit(in bit<8> value) { inner.set(inner.get() + 1); return inner.get(); }
        void count(inout bit<8> total, in bit<8> value) {
            total = total + this.limit(value) + outer.get();
        }
    };
    Rule() second = {
        bit<8> limit(in bit<8> value) { return value; }
        void count(inout bit<8> total, in bit<8> value) {
            if (value == 0) { return; }
            total = total + first.limit(value);
        }
    };
    apply {
        note(fixed.limit(hdr.h.a));
        fixed.count(hdr.h.b, 0x50);
        first.count(meta.m, 1);
        first.count(meta.m, 1);
        note(meta.m);
        second.count(meta.m, hdr.h.a);
        note(meta.m + second.limit(5));
    }
}

control D(packet_out packet, in headers hdr, in meta_t meta) {
    apply { packet.emit(hdr.h); }
}

Pipe(P(), C(), D()) main;

//> 0005
//= log 0 49 4e
//= out 0015
//> 2005
//= log 10 49 54
//= out 2015
