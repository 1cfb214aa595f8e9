use std::{env::consts::ARCH, fs, thread};

use serde::Serialize;

/// The machine of a measurement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Machine {
    /// The CPU as the system names it, or `unknown`.
    pub cpu: String,
    /// `x86_64`, `aarch64`.
    pub architecture: String,
    /// Cores that this program may use.
    pub cores: usize,
}

impl Machine {
    /// Describes this machine.
    #[must_use]
    pub(crate) fn this() -> Self {
        let cpuinfo = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        Self {
            cpu: cpu_of(&cpuinfo).unwrap_or_else(|| "unknown".to_owned()),
            architecture: ARCH.to_owned(),
            cores: thread::available_parallelism().map_or(1, usize::from),
        }
    }
}

/// Returns the name of the first CPU. On x86 Linux lists the name; on ARM it lists numbers of the
/// register MIDR.
fn cpu_of(cpuinfo: &str) -> Option<String> {
    let field = |name: &str| {
        let fields = cpuinfo.lines().filter_map(|line| line.split_once(':'));
        let mut values = fields.filter(|(key, _)| key.trim() == name).map(|(_, value)| value.trim());
        values.next().filter(|value| !value.is_empty())
    };
    if let Some(name) = field("model name") {
        return Some(name.to_owned());
    }
    let (implementer, part) = (field("CPU implementer")?, field("CPU part")?);
    let known = ARM_PARTS.iter().find(|known| (known.0, known.1) == (implementer, part));
    Some(match known {
        Some((.., name)) => (*name).to_owned(),
        None => format!("ARM implementer {implementer}, part {part}"),
    })
}

/// The processors of Lambda, from util-linux (`sys-utils/lscpu-arm.c`).
const ARM_PARTS: [(&str, &str, &str); 3] = [
    ("0x41", "0xd0c", "ARM Neoverse-N1"),
    ("0x41", "0xd40", "ARM Neoverse-V1"),
    ("0x41", "0xd4f", "ARM Neoverse-V2"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cpu_has_the_name_that_linux_lists() {
        let intel = "processor\t: 0\nmodel name\t: Intel(R) Xeon(R) CPU E31245 @ 3.30GHz\nprocessor\t: 1\n";
        assert_eq!(cpu_of(intel).unwrap(), "Intel(R) Xeon(R) CPU E31245 @ 3.30GHz");
        let graviton = "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n";
        assert_eq!(cpu_of(graviton).unwrap(), "ARM Neoverse-N1");
        let other = "processor\t: 0\nCPU implementer\t: 0x61\nCPU part\t: 0x022\n";
        assert_eq!(cpu_of(other).unwrap(), "ARM implementer 0x61, part 0x022");
        assert_eq!(cpu_of("processor\t: 0\n"), None);
    }

    #[test]
    fn this_machine_has_a_core_and_a_cpu_name() {
        let machine = Machine::this();
        assert!(machine.cores >= 1 && !machine.cpu.is_empty(), "{machine:?}");
    }
}
