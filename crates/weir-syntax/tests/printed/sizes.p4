struct row_t {
    bit<8> cells[16];
    bit<8>[2] pairs[3][4];
}
const bit<8> K[2] = { 1, 2 };
bit<8> first(in bit<8> x[2], in int<(4 + 4)> y) {
    bit<8> z[2] = x;
    row_t rows[2];
    return z[0] + rows[1].cells[x[1]];
}
