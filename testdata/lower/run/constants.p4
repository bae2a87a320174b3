// What is known at each call stands for itself in what is called: numbers without width, strings, what optional parameters
// of an abstract method leave out.
#include "pipe.p4"

header byte_t { bit<8> a; bit<8> b; }
struct headers { byte_t h; }
struct meta_t { bit<8> m; }

extern Rule {
    Rule();
    abstract void change(inout bit<8> value, @optional in bit<8> by, @optional out bit<8> before);
}

Rule() plain = {
    void change(inout bit<8> value) { value = value + 1; }
};
Rule() remembering = {
    void change(inout bit<8> value, out bit<8> before) { before = value; value = 0x77; }
};
Rule() full = {
    void change(inout bit<8> value, in bit<8> by, out bit<8> before) { before = value; value = value + by; }
};

void say(string text, int amount, in bit<8> value) {
    message(text, value + amount);
}

parser Skip(packet_in packet, int bytes) {
    state start {
        packet.advance((bit<32>)(bytes * 8));
        transition accept;
    }
}

parser P(packet_in packet, out headers hdr, inout meta_t meta) {
    Skip() one;
    Skip() none;
    state start {
        none.apply(packet, 0);
        one.apply(packet, 1);
        packet.extract(hdr.h);
        transition accept;
    }
}

control Add(int amount, inout bit<8> sum) {
    apply {
        sum = sum + amount;
        say("now", amount * 2, sum);
    }
}

control C(inout headers hdr, inout meta_t meta) {
    Add() three;
    apply {
        Add.apply(1, hdr.h.a);
        three.apply(3, hdr.h.a);
        three.apply(3, hdr.h.b);
        bit<8> before = 0;
        plain.change(hdr.h.a, 5, before);
        message("plain", before);
        remembering.change(hdr.h.a, note(9), before);
        message("remembering", before);
        full.change(value = hdr.h.b, before = before);
        message("full", before);
    }
}

control D(packet_out packet, in headers hdr, in meta_t meta) {
    apply { packet.emit(hdr.h); }
}

Pipe(P(), C(), D()) main;

//> ff1020
//= log "now" 13 "now" 1a "now" 29 "plain" 0 9 "remembering" 15 "full" 23
//= out 7723
//> 00fffe
//= log "now" 2 "now" 9 "now" 7 "plain" 0 9 "remembering" 4 "full" 1
//= out 7701
