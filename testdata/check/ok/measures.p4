// What is measured is not evaluated; objects may have methods of those names; amounts of shifts that are known may be signed.
#include <core.p4>

header octet_t { bit<8> value; }

extern Ruler {
    Ruler();
    bit<8> minSizeInBits();
    bit<8> minSizeInBits<T>(in T data);
}

const int<6> FEW = 2;

control Measure(in octet_t[2] row, out bit<8> size, out bit<8> shifted) {
    Ruler() ruler;
    apply {
        size = row[5].minSizeInBits() + ruler.minSizeInBits();
        size = size + ruler.minSizeInBits(row[0].value);
        shifted = row[0].value << FEW;
        shifted = shifted >> 3s1;
        shifted = shifted + 0xABCD[11:4] + (-1)[7:0];
        shifted = shifted + 0xABCD[4+:8];
    }
}

const bit<4> NIBBLE = 0xABCD[7:4];
const bool RIGHT = static_assert(NIBBLE == 0xC && (-2)[3:0] == 14 && 5[9:2] == 1);

control Control(in octet_t[2] row, out bit<8> size, out bit<8> shifted);
package Switch(Control measure);
Switch(Measure()) main;
