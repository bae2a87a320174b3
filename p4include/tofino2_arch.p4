/* tofino2_arch.p4 - the blocks of Tofino 2. */

#include <tofino2_base.p4>
#include <tna/blocks2.p4>
