//! On macOS an extension module finds Python's symbols only when it is loaded; the linker must be
//! told.
fn main() {
    pyo3_build_config::add_extension_module_link_args();
}
