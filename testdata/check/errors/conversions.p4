// Values of one type where another is wanted, each with the shortest cure.
header h_t {
    bit<8> a;
    bit<8> b;
}

struct pair_t {
    bit<8>  low;
    bit<16> high;
}

enum Plain { A, B }

enum bit<8> Coded { A = 1, B = 2 }

type bit<9> Port;

control C(inout h_t h, inout bit<8> x, inout bit<16> y, inout bool b, inout Port p) {
    apply {
        x = y; // ERROR type-mismatch
        b = x; // ERROR type-mismatch
        b = x[0:0]; // ERROR type-mismatch
        x = b; // ERROR type-mismatch
        p = 9w5; // ERROR type-mismatch
        p = 16w5; // ERROR type-mismatch
        x = Plain.A; // ERROR type-mismatch
        Coded c = 1; // ERROR type-mismatch
        x = c;
        pair_t q = { 1 }; // ERROR wrong-member-count
        q = { low = 1 }; // ERROR missing-field
        q = { low = 1, hihg = 2 }; // ERROR unknown-field
        q = { low = 1, low = 2, high = 3 }; // ERROR duplicate-declaration
        q = { 1, true }; // ERROR type-mismatch
        if (x) { // ERROR type-mismatch
            y = q.high + 1;
        }
        x = 256; // WARNING truncated-constant
        x = -1; // WARNING truncated-constant
        x = 4w16 ++ 4w1; // WARNING truncated-constant
        x = x << 8; // WARNING shift-overflow
        h = { 1, 2, 3 }; // ERROR wrong-member-count
        x = {#}; // ERROR unknown-width
        int wide = 5; // ERROR bad-variable-type
    }
}
