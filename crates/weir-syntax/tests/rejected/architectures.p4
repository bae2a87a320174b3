// Architectures that others have are told by name, whatever names lie near.
#include <pna.p4>
#include "dpdk/psa.p4"
#include <ebpf_model.p4>
#include <pma.p4>
const bit<8> X = 1;
