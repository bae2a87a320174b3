/* tofino1_specs.p4 - the numbers of Tofino 1, for programs that include the parts of the architecture. */

#include <tna/widths1.p4>
#include <tna/types.p4>
