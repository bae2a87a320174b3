// Only functions and methods are overloaded, by the number and names of their parameters.
#include <core.p4>

extern bit<8> level(in bit<8> a);
extern bit<8> level(in bit<8> b);
extern bit<8> level(in bit<16> a); // ERROR duplicate-declaration
extern bit<8> level(in bit<8> a, in bit<8> b);

extern Rule {
    Rule();
    abstract void act(in bit<8> x);
    void act(in bit<8> x, in bit<8> y); // ERROR duplicate-declaration
    void see(in bit<8> x);
    void see(in bit<16> x); // ERROR duplicate-declaration
}

control Step(inout bit<8> x)(bit<8> amount) {
    apply { x = x + amount; }
}

control Step(inout bit<8> x)(bit<8> factor) { // ERROR duplicate-declaration
    apply { x = x * factor; }
}

parser Read(packet_in packet) {
    state start { transition accept; }
}

parser Read(packet_in packet, out bit<8> x) { // ERROR duplicate-declaration
    state start { x = 0; transition accept; }
}

control Stage(inout bit<8> x);
package Switch(Stage one);
package Switch(Stage one, Stage two); // ERROR duplicate-declaration

control Work(inout bit<8> x) {
    apply {
        x = level(a = x);
        x = level(b = x);
        x = level(x, x);
        x = level(x); // ERROR no-overload
        x = level(c = x); // ERROR no-overload
    }
}

Switch(Work()) main;

extern void again(in bit<8> x);
extern void again(inout bit<8> x); // ERROR duplicate-declaration
extern bit<8> again(in bit<8> x); // ERROR duplicate-declaration
extern void again(in bit<9> x); // ERROR duplicate-declaration
extern void once<T>(in T x);
extern void once<T>(in T x); // ERROR duplicate-declaration
