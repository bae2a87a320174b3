// Constant arguments of constructors with which an object is of no use.
#include <core.p4>
#include <psa.p4>

control C(inout bit<16> x)(bit<16> low) {
    Random<bit<16>>(9, 3) never;                // WARNING constant-argument
    Random<bit<16>>(3, 9) draw;
    Random<bit<16>>(low, 3) chosen;
    apply { x = never.read() + draw.read() + chosen.read(); }
}
