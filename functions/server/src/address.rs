//! Where the server listens: an address, or a socket file with its mode.

use std::{fmt, net::SocketAddr, path::PathBuf, str::FromStr};

/// The place where the server listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Listen {
    Address(SocketAddr),
    File(PathBuf),
}

impl FromStr for Listen {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.strip_prefix(FILE) {
            Some("") => Err("name a path behind `unix:`"),
            Some(path) => Ok(Self::File(path.into())),
            None => text
                .parse()
                .map(Self::Address)
                .map_err(|_| "write ADDRESS:PORT with an IP address, such as 127.0.0.1:9000, or unix:PATH"),
        }
    }
}

impl fmt::Display for Listen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Address(address) => write!(f, "{address}"),
            Self::File(path) => write!(f, "{FILE}{}", path.display()),
        }
    }
}

/// The mode of a socket file. Connecting needs the right to write (unix(7)).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SocketMode(pub(crate) u32);

impl SocketMode {
    /// Only processes of the server's user may connect.
    pub(crate) const OWNER: Self = Self(0o600);
}

impl FromStr for SocketMode {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let digits = matches!(text.len(), 3 | 4) && text.bytes().all(|digit| (b'0'..=b'7').contains(&digit));
        let mode = u32::from_str_radix(text, 8).ok().filter(|&mode| digits && mode <= ALL_RIGHTS);
        mode.map(Self).ok_or("write three octal digits, such as 660: owner, group and others")
    }
}

/// Read, write and execute for owner, group and others.
const ALL_RIGHTS: u32 = 0o777;

/// Precedes the path of a socket file.
const FILE: &str = "unix:";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_or_a_path_is_read_and_printed() {
        for text in ["127.0.0.1:9000", "[::1]:0", "unix:/run/saltern.sock", "unix:relative"] {
            assert_eq!(text.parse::<Listen>().unwrap().to_string(), text);
        }
        for wrong in ["", "unix:", "localhost:9000", "9000", "/run/saltern.sock", "UNIX:/run/s"] {
            assert!(wrong.parse::<Listen>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_mode_has_octal_digits() {
        assert_eq!("660".parse(), Ok(SocketMode(0o660)));
        assert_eq!("0600".parse(), Ok(SocketMode(0o600)));
        for wrong in ["", "6", "66", "+660", "680", "1777", "0x1f", "rw-", "06600"] {
            assert!(wrong.parse::<SocketMode>().is_err(), "{wrong}");
        }
    }
}
