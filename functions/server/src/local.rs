//! Which requests a server without tokens refuses: those of web pages.
//!
//! Every page that a user of this machine opens can send requests to loopback. Its browser marks
//! them by `Origin` (RFC 6454 §7) and `Sec-Fetch-Site` (W3C Fetch Metadata §2.1). A page whose
//! own host name leads to loopback (DNS rebinding) need not be marked, so that name is refused.

use std::net::IpAddr;

use http::{
    HeaderMap,
    header::{HOST, ORIGIN},
    request::Parts,
    uri::Authority,
};

use super::address::Listen;

/// Where the programs of this machine reach a server without tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Local {
    /// At an address of loopback, which other users of the machine and web pages reach too.
    Port,
    /// At a socket file, to which no host name leads.
    File,
}

impl Local {
    pub(super) fn at(listen: &Listen) -> Self {
        match listen {
            Listen::Address(_) => Self::Port,
            Listen::File(_) => Self::File,
        }
    }

    /// Whether a web page may have sent the request.
    pub(super) fn is_foreign(self, head: &Parts) -> bool {
        is_of_a_page(&head.headers) || (self == Self::Port && !is_called_locally(head))
    }
}

/// Whether a browser marked the request as one of a page. `none` is of the user, who typed the
/// address.
fn is_of_a_page(headers: &HeaderMap) -> bool {
    headers.contains_key(ORIGIN) || headers.get_all(SEC_FETCH_SITE).iter().any(|site| site != "none")
}

/// Whether each host of the request is an IP address or `localhost`. A request without a host is of
/// no browser.
fn is_called_locally(head: &Parts) -> bool {
    let hosts = head.headers.get_all(HOST).iter();
    let mut hosts = hosts.map(|host| Authority::try_from(host.as_bytes()).ok());
    head.uri.authority().is_none_or(is_local) && hosts.all(|host| host.as_ref().is_some_and(is_local))
}

fn is_local(authority: &Authority) -> bool {
    let host = authority.host();
    let address = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    host.eq_ignore_ascii_case("localhost") || address.parse::<IpAddr>().is_ok()
}

const SEC_FETCH_SITE: &str = "sec-fetch-site";

#[cfg(test)]
mod tests {
    use http::Request;

    use super::*;

    #[test]
    fn a_web_page_and_a_foreign_host_name_are_refused() {
        for (foreign, headers) in [
            (false, vec![]),
            (false, vec![("host", "localhost")]),
            (false, vec![("host", "LOCALHOST:9000"), ("sec-fetch-site", "none")]),
            (false, vec![("host", "127.0.0.1:9000")]),
            (false, vec![("host", "[::1]:9000")]),
            (false, vec![("host", "10.0.0.7")]),
            (true, vec![("host", "evil.example")]),
            (true, vec![("host", "localhost.evil.example:9000")]),
            (true, vec![("host", "127.0.0.1.nip.example")]),
            (true, vec![("host", "localhost"), ("host", "evil.example")]),
            (true, vec![("host", "")]),
            (true, vec![("host", "a b")]),
            (true, vec![("host", "localhost"), ("origin", "http://localhost")]),
            (true, vec![("host", "localhost"), ("origin", "null")]),
            (true, vec![("host", "localhost"), ("sec-fetch-site", "same-origin")]),
            (true, vec![("host", "localhost"), ("sec-fetch-site", "cross-site")]),
            (true, vec![("host", "localhost"), ("sec-fetch-site", "none"), ("sec-fetch-site", "same-site")]),
        ] {
            assert_eq!(Local::Port.is_foreign(&head("/health", &headers)), foreign, "{headers:?}");
        }
        // HTTP/2 names the host in the URI.
        assert!(Local::Port.is_foreign(&head("http://evil.example/health", &[])));
        assert!(!Local::Port.is_foreign(&head("http://127.0.0.1:9000/health", &[])));
        // A socket file has no name that could lead to it, and is still not for pages.
        assert!(!Local::File.is_foreign(&head("/health", &[("host", "saltern")])));
        assert!(Local::File.is_foreign(&head("/health", &[("host", "saltern"), ("origin", "null")])));
    }

    fn head(uri: &str, headers: &[(&str, &str)]) -> Parts {
        let request =
            headers.iter().fold(Request::get(uri), |request, (name, value)| request.header(*name, *value));
        request.body(()).unwrap().into_parts().0
    }
}
