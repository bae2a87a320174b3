// Widths beyond the limits.
#define WIDE 2049

header wide_t {
    bit<2048> fits;
    bit<2049> f; // ERROR bad-width
    int<WIDE> g; // ERROR bad-width
    varbit<131072> v;
}

header wider_t {
    varbit<131073> v; // ERROR bad-width
}

const bit<8> SUM = (2049w1 + 1)[7:0]; // ERROR bad-width

bit<8> low(in bit<2048> x) {
    bit<8> y = (x ++ 8w1)[7:0]; // ERROR bad-width
    return y + (8w1 ++ (x ++ x))[7:0]; // ERROR bad-width
}

type bit<4096> page_t; // ERROR bad-width
