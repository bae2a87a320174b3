/* tofino1_base.p4 - the metadata and externs of Tofino 1. */

#include <tofino1_specs.p4>

#include <tna/metadata1.p4>
#include <tna/externs.p4>
#include <tna/registers1.p4>
