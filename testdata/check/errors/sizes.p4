// Stacks have at least one element.
header octet_t { bit<8> value; }
const int NONE = 0;

control Row(in octet_t[2] row, out bit<8> x) {
    octet_t[NONE] none; // ERROR bad-width
    bit<8>[0] zero; // ERROR bad-width
    apply {
        x = row[2].value; // ERROR index-out-of-range
        x = row[2].minSizeInBits();
    }
}
