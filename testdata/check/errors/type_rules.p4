// Types that cannot be combined, casts that do not exist.
#include <core.p4>

type bit<9> Port;
type Port Uplink;
enum Port Ports { One = 1 } // ERROR bad-enum

header generic_h<T> { T field; }
struct box_t<T> { T item; }
typedef box_t Box; // ERROR type-argument-count

extern Doubled {
    Doubled();
    void run(in bit<8> a);
    void run(in bit<16> a); // ERROR duplicate-declaration
    bit<8> Doubled(); // ERROR bad-constructor
}
extern Shown {
    Shown();
}
extern void show<T>(in T value);

const Shown NO_CONSTANT = 3; // ERROR bad-constant-type

@range[low = 1, low = 2] // ERROR duplicate-declaration
const bit<8> RANGED = 1;

void same<T>(in T a, in T b, @optional in bit<8> c) { // ERROR bad-parameter
    bool equal = a == b; // ERROR not-comparable
    show(equal);
}

control Inner() { apply { } }

control C(inout bit<9> x, inout bit<16> y, inout Port p, inout Uplink u)(Inner inner) { // ERROR bad-parameter
    generic_h<bool> good = { true };
    generic_h<error> bad; // ERROR bad-field-type
    box_t<int> worse; // ERROR type-argument
    apply {
        p = (Port)x;
        u = (Uplink)p;
        y = (bit<16>)p; // ERROR bad-cast
        y = (bit<16>)(bit<9>)p;
        u = (Uplink)x; // ERROR bad-cast
        show("text"); // ERROR bad-argument
        show(good);
    }
}
