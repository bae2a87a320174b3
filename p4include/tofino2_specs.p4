/* tofino2_specs.p4 - the numbers of Tofino 2, for programs that include the parts of the architecture. */

#include <tna/widths2.p4>
#include <tna/types.p4>
