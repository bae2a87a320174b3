/* tofino2_base.p4 - the metadata and externs of Tofino 2. */

#include <tofino2_specs.p4>

#define _TNA_TOFINO_2_
#include <tna/metadata2.p4>
#include <tna/externs.p4>
#include <tna/registers2.p4>
