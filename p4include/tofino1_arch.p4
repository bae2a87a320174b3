/* tofino1_arch.p4 - the blocks of Tofino 1. */

#include <tofino1_base.p4>
#include <tna/blocks1.p4>
