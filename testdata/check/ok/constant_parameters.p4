// Parameters without direction of functions, parsers and controls: each call gives a compile-time value, which is passed on
// like one.
#include <core.p4>

enum Kind { first, second }

extern void record(Kind kind, string text, int level);

void described(Kind kind, string text, int level) {
    record(kind, text, level + 1);
}

parser Inner(packet_in packet, int words) {
    state start {
        packet.advance((bit<32>)(words * 32));
        transition accept;
    }
}

parser Outer(packet_in packet) {
    Inner() inner;
    state start {
        inner.apply(packet, 2);
        transition accept;
    }
}

control Add(int amount, inout bit<8> sum) {
    apply {
        if (sum != amount) {
            sum = sum + amount;
        }
        described(Kind.second, "added", amount);
    }
}

control Work(inout bit<8> sum) {
    apply {
        Add.apply(3, sum);
        described(Kind.first, "done", 0);
    }
}

parser Parser(packet_in packet);
control Control(inout bit<8> sum);
package Switch(Parser parse, Control work);
Switch(Outer(), Work()) main;
