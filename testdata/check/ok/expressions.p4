// Every operator on every kind of operand it takes, implicit casts, slices, aggregates.
enum bit<8> Code { Low = 1, High = 0xff }
enum Plain { A, B }
type bit<9> Port;

struct pair_t { bit<8> first; bit<16> second; }
struct nest_t { pair_t pair; bool flag; }
header h_t { bit<8> a; int<8> b; }

const int UNBOUNDED = (1 << 70) / 3 % 1000 - 5 * 7;
const bit<16> FOLDED = (bit<16>)UNBOUNDED + 2 * 8;
const tuple<bit<8>, bool> TUPLE = { 3, true };
const list<pair_t> PAIRS = { { 1, 2 }, { 3, 4 } };
const string TEXT = "one " ++ "two";
const pair_t PAIR = { second = 7, ... };

extern void log(string message);

bit<8> largest(in bit<8> a, in bit<8> b) {
    return a > b ? a : b;
}

T same<T>(in T value) {
    return value;
}

control C(inout bit<8> x, inout int<8> y, inout bit<16> wide, inout bool b, inout h_t h, inout Port p) {
    Plain plain = Plain.A;
    apply {
        x = x + 1 - 2 * x;
        x = x |+| 250 |-| 3;
        x = (x & 0xf0) | (x ^ 3) | ~x;
        y = -y + 1;
        y = y >> 1 << 2;
        x = x << wide >> 3;
        wide = x ++ x;
        wide = x ++ (bit<8>)y;
        wide[7:0] = x;
        wide[15:8] = wide[7:0];
        wide[x[3:0]+:4] = 4w7;
        x = x + Code.Low;
        x = Code.High;
        b = x == Code.High || y < 0 && !(wide >= 5);
        b = plain == Plain.B || plain != Plain.A;
        x = largest(b = x, a = 2);
        x = same(x);
        wide = same<bit<16>>(5);
        p = (Port)9w5;
        p = 6;
        wide = (bit<16>)(bit<9>)p;
        x = (bit<8>)(bit<1>)b;
        b = (bool)x[0:0];
        pair_t pair = { 1, 2 };
        nest_t nest = { pair = pair, flag = pair == { 1, 2 } };
        nest = { { first = 5, second = wide }, ... };
        pair = b ? pair : nest.pair;
        h = { x, y };
        h = { b = -1, a = 3 };
        h = (h_t){#};
        b = h.isValid() && nest.flag && TUPLE[1];
        x = TUPLE[0] + PAIR.first;
        wide = FOLDED + pair.second;
        x += 1;
        x <<= 2;
        wide |= 0x8000;
        wide[3:0] += 1;
        Code code = (Code)x;
        code = (Code)4;
        x = code;
        x = (bit<8>)h.minSizeInBytes() + (bit<8>)h_t.maxSizeInBits();
        log(TEXT);
        for (bit<8> i = 0; i < 4; i = i + 1) {
            if (i == x) { continue; }
            x = x + i;
        }
        for (bit<8> i in 1 .. 5) {
            x = x ^ i;
            if (x == 0) { break; }
        }
        for (pair_t one in PAIRS) {
            wide = wide + one.second;
        }
        switch (x) {
            1:
            2: { x = 3; }
            Code.High: { x = 4; }
            default: { x = 5; }
        }
        switch (plain) {
            Plain.A: { plain = Plain.B; }
        }
    }
}


// The bits of negative numbers, written out.
const int<8> minus_86 = 8s0b1010_1010;
const int<8> minus_1 = 8s0xff;
