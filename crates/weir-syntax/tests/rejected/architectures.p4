// Unsupported architectures are named, even if a known file has a similar name.
#include <xsa.p4>
#include "xsa.p4"
#include <sume_switch.p4>
#include <pma.p4>
const bit<8> X = 1;
