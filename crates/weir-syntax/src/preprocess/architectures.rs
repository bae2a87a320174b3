//! The architectures that Weir does not support, and the files that declare them, so that their
//! names are not reported as misspelt file names.

/// Returns the architecture that the file `name`, as written in an `#include`, declares.
pub(super) fn architecture(name: &str) -> Option<&'static str> {
    ARCHITECTURES.iter().find(|(file, _)| *file == name).map(|(_, what)| *what)
}

/// The files in `p4include` that declare architectures.
pub(super) const SUPPORTED: [&str; 8] =
    ["ebpf_model.p4", "pna.p4", "psa.p4", "t2na.p4", "tna.p4", "ubpf_model.p4", "v1model.p4", "xdp_model.p4"];

const ARCHITECTURES: [(&str, &str); 8] = [
    ("t3na.p4", "the Tofino 3 Native Architecture (T3NA)"),
    ("t5na.p4", "the Tofino 5 Native Architecture (T5NA)"),
    ("tofino1arch.p4", "the Tofino Native Architecture (TNA)"),
    ("tofino2arch.p4", "the Tofino 2 Native Architecture (T2NA)"),
    ("simple_sume_switch.p4", "the SimpleSumeSwitch of NetFPGA SUME"),
    ("sume_switch.p4", "the SimpleSumeSwitch of NetFPGA SUME"),
    ("xsa.p4", "the Xilinx Switch Architecture (XSA)"),
    ("very_simple_model.p4", "the Very Simple Switch (VSS) of the P4_16 specification"),
];

#[cfg(test)]
mod tests {
    use super::{ARCHITECTURES, architecture};
    use crate::preprocess::MemoryLoader;
    use crate::{Diagnostics, SourceMap};

    #[test]
    fn supported_architectures_are_listed() {
        let loader = MemoryLoader::new()
            .with("main.p4", "#include <xsa.p4>\n")
            .with("core.p4", "")
            .with("pna.p4", "")
            .with("psa.p4", "")
            .with("t2na.p4", "")
            .with("tna.p4", "")
            .with("v1model.p4", "");
        let (mut sources, mut diagnostics) = (SourceMap::new(), Diagnostics::new());
        crate::parse("main.p4", &loader, &[], &mut sources, &mut diagnostics);
        let text = diagnostics.render(&sources, false);
        assert!(text.contains("declares the Xilinx Switch Architecture (XSA)"), "{text}");
        assert!(
            text.contains("supported architectures: pna.p4, psa.p4, t2na.p4, tna.p4, v1model.p4"),
            "{text}"
        );
        assert!(!text.contains("did you mean"), "{text}");
    }

    #[test]
    fn each_file_is_listed_once_under_its_full_name() {
        for (index, (file, what)) in ARCHITECTURES.iter().enumerate() {
            assert_eq!(architecture(file), Some(*what));
            assert!(ARCHITECTURES[..index].iter().all(|(other, _)| other != file), "{file} twice");
        }
        assert_eq!(architecture("v1model.p4"), None);
        assert_eq!(architecture("tna"), None);
    }
}
