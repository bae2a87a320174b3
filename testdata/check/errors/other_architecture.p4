// Names of other architectures than the one whose file the program includes.
#include <core.p4>
#include <psa.p4>

control I(in bit<8> index) {
    standard_metadata_t standard; // ERROR unknown-type
    apply {
        ExpireTimeProfileId_t profile; // ERROR unknown-type
    }
}
