//! Tells the linker that, on macOS, an extension module finds Python's symbols only when it is
//! loaded. Also passes the target and the profile to `weir --version --verbose`.
fn main() {
    for name in ["TARGET", "PROFILE"] {
        println!("cargo::rustc-env=WEIR_{name}={}", std::env::var(name).unwrap_or_default());
    }
    pyo3_build_config::add_extension_module_link_args();
}
