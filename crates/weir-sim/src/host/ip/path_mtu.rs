//! Path MTUs (RFC 1191, RFC 8201).

use std::collections::BTreeMap;
use std::net::IpAddr;

use weir_device::Nanos;

/// The time for which a path MTU is valid: 10 minutes (RFC 1191, section 6.3).
const PATH_LIFETIME: Nanos = 600 * 1_000_000_000;
/// The maximum number of destinations. The report for a further destination replaces the oldest
/// one.
const MAX_PATHS: usize = 1024;

/// The path MTUs that are below the interface's MTU.
#[derive(Default)]
pub(in crate::host) struct PathMtus(BTreeMap<IpAddr, (usize, Nanos)>);

impl PathMtus {
    /// Returns the path MTU, if it is known to be below the interface's MTU.
    pub(in crate::host) fn get(&self, now: Nanos, destination: IpAddr) -> Option<usize> {
        self.get_valid(now, destination).map(|(mtu, _)| mtu)
    }

    /// Returns the path MTU, as in [`PathMtus::get`], and until when it is valid.
    pub(in crate::host) fn get_valid(&self, now: Nanos, destination: IpAddr) -> Option<(usize, Nanos)> {
        if self.0.is_empty() {
            return None;
        }
        self.0.get(&destination).filter(|(_, until)| now < *until).copied()
    }

    /// Records the next-hop MTU that a router reported.
    pub(in crate::host) fn record_mtu(&mut self, now: Nanos, destination: IpAddr, mtu: usize) {
        if self.0.len() >= MAX_PATHS && !self.0.contains_key(&destination) {
            let oldest = self.0.iter().min_by_key(|(_, (_, until))| *until).map(|(address, _)| *address);
            oldest.and_then(|address| self.0.remove(&address));
        }
        self.0.insert(destination, (mtu, now.saturating_add(PATH_LIFETIME)));
    }
}

/// Returns the MTU to try on a path that did not carry `length` bytes and whose router reported no
/// MTU (RFC 1191, section 7.1).
pub(in crate::host) fn plateau_below(length: usize) -> usize {
    /// The plateaus: MTUs to try, in descending order.
    const PLATEAUS: [usize; 10] = [32_000, 17_914, 8_166, 4_352, 2_002, 1_492, 1_006, 508, 296, 68];
    PLATEAUS.into_iter().find(|plateau| *plateau < length).unwrap_or(68)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_mtu_is_valid_for_ten_minutes() {
        let mut paths = PathMtus::default();
        let far: IpAddr = [192, 0, 2, 1].into();
        assert_eq!(paths.get(0, far), None);
        paths.record_mtu(5, far, 1400);
        assert_eq!(paths.get(PATH_LIFETIME + 4, far), Some(1400));
        assert_eq!(paths.get(PATH_LIFETIME + 5, far), None);
        for host in 0..2000u32 {
            paths.record_mtu(6, std::net::Ipv4Addr::from_bits(host).into(), 1000);
        }
        assert_eq!((paths.0.len(), paths.get(7, far)), (MAX_PATHS, None));
    }

    #[test]
    fn each_plateau_is_below_the_last() {
        assert_eq!([1500, 1492, 68].map(plateau_below), [1492, 1006, 68]);
    }
}
