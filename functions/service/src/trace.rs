//! The trace of a request: W3C Trace Context and AWS X-Ray. Malformed headers are ignored.

use http::{HeaderMap, HeaderName, HeaderValue, header::AsHeaderName};

/// The ids of a request's trace. They hold only a fixed number of hexadecimal digits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    traceparent: Option<String>,
    xray: Option<String>,
}

impl Trace {
    /// The header of AWS X-Ray, as load balancers and Function URLs send it.
    pub const XRAY_HEADER: &str = "x-amzn-trace-id";

    /// Reads the ids from these headers. `tracestate` is ignored.
    pub fn of(headers: &HeaderMap) -> Self {
        Self {
            traceparent: only(headers, TRACEPARENT).and_then(traceparent),
            xray: only(headers, Self::XRAY_HEADER).and_then(xray_root),
        }
    }

    /// The same trace with the X-Ray root of this header's value in place of another.
    #[must_use]
    pub fn with_xray(self, value: &str) -> Self {
        Self { xray: xray_root(value), ..self }
    }

    /// The W3C trace id.
    pub fn id(&self) -> Option<&str> {
        self.traceparent.as_ref().and_then(|whole| whole.get(TRACE_ID))
    }

    /// The X-Ray trace id.
    pub fn xray_id(&self) -> Option<&str> {
        self.xray.as_deref()
    }

    /// The headers of the response: of each request header the part that was understood.
    pub(crate) fn headers(&self) -> impl Iterator<Item = (HeaderName, HeaderValue)> {
        let xray = self.xray.as_ref().map(|root| format!("{ROOT}{root}"));
        let both = [(TRACEPARENT, self.traceparent.clone()), (Self::XRAY_HEADER, xray)];
        both.into_iter()
            .filter_map(|(name, value)| Some((HeaderName::from_static(name), value?.try_into().ok()?)))
    }
}

/// The value of a header that occurs exactly once.
pub(crate) fn only(headers: &HeaderMap, name: impl AsHeaderName) -> Option<&str> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (Some(value), None) => value.to_str().ok(),
        _ => None,
    }
}

/// Parses `version-trace-parent-flags`, in lower case (Trace Context §3.2.2). A later version may
/// append fields, which are dropped. Version ff is invalid.
fn traceparent(value: &str) -> Option<String> {
    let (known, rest) = value.split_at_checked(TRACEPARENT_BYTES)?;
    let mut fields = known.split('-');
    let (version, trace, parent, flags) = (fields.next()?, fields.next()?, fields.next()?, fields.next()?);
    let well_formed = fields.next().is_none()
        && is_hex(version, 2)
        && is_hex(trace, 32)
        && is_hex(parent, 16)
        && is_hex(flags, 2)
        && version != "ff"
        && is_set(trace)
        && is_set(parent)
        && (rest.is_empty() || (version != "00" && rest.starts_with('-')));
    well_formed.then(|| known.to_owned())
}

/// Returns the root of `Root=1-5759e988-bd862e3fe1be46a994272793;Parent=…;Sampled=1`. Other fields
/// are ignored.
fn xray_root(value: &str) -> Option<String> {
    let root = value.split(';').find_map(|field| field.trim_ascii().strip_prefix(ROOT))?;
    let (time, unique) = root.strip_prefix("1-")?.split_once('-')?;
    (is_hex(time, 8) && is_hex(unique, 24)).then(|| root.to_owned())
}

fn is_hex(text: &str, digits: usize) -> bool {
    text.len() == digits && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

/// Whether an id is valid: an id of zeros only is not.
fn is_set(text: &str) -> bool {
    text.bytes().any(|b| b != b'0')
}

/// The header of W3C Trace Context.
pub const TRACEPARENT: &str = "traceparent";

/// Precedes the trace id in the header of X-Ray.
const ROOT: &str = "Root=";

/// The length of `00-` and of 32, 16 and 2 digits separated by hyphens.
const TRACEPARENT_BYTES: usize = 55;

/// The position of the trace id in it.
const TRACE_ID: std::ops::Range<usize> = 3..35;

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    fn of(headers: &[(&'static str, &str)]) -> Trace {
        let header = |(name, value): &(&'static str, &str)| {
            (HeaderName::from_static(name), HeaderValue::from_str(value).unwrap())
        };
        let mut map = HeaderMap::new();
        headers.iter().map(header).for_each(|(name, value)| {
            map.append(name, value);
        });
        Trace::of(&map)
    }

    fn back(trace: &Trace) -> Vec<(String, String)> {
        let text = |(name, value): (HeaderName, HeaderValue)| {
            (name.as_str().to_owned(), value.to_str().unwrap().to_owned())
        };
        trace.headers().map(text).collect()
    }

    #[test]
    fn a_traceparent_is_logged_and_returned() {
        let trace = of(&[(TRACEPARENT, GOOD), ("tracestate", "x=y")]);
        assert_eq!(trace.id(), Some("4bf92f3577b34da6a3ce929d0e0e4736"));
        assert_eq!(back(&trace), [(TRACEPARENT.to_owned(), GOOD.to_owned())]);
        // Of a later version the known fields are returned.
        let later = GOOD.replacen("00", "cc", 1);
        let given = format!("{later}-new-field");
        assert_eq!(back(&of(&[(TRACEPARENT, &given)])), [(TRACEPARENT.to_owned(), later)]);
    }

    #[test]
    fn a_malformed_traceparent_is_ignored() {
        for wrong in [
            "",
            "00",
            &GOOD[..54],
            &format!("{GOOD}-"),
            &format!("{GOOD}0"),
            &GOOD.to_ascii_uppercase(),
            &GOOD.replacen("00", "ff", 1),
            &GOOD.replacen("00", "0g", 1),
            &GOOD.replacen('-', "_", 1),
            &GOOD.replacen("4bf92f3577b34da6a3ce929d0e0e4736", &"0".repeat(32), 1),
            &GOOD.replacen("00f067aa0ba902b7", &"0".repeat(16), 1),
            &GOOD.replacen("4bf92f35", "4bf9-f35", 1),
            &format!("cc{}x", &GOOD[2..]),
            &format!(" {GOOD}"),
        ] {
            assert_eq!(of(&[(TRACEPARENT, wrong)]), Trace::default(), "{wrong}");
        }
        assert_eq!(of(&[(TRACEPARENT, GOOD), (TRACEPARENT, GOOD)]), Trace::default());
    }

    #[test]
    fn the_root_of_an_x_ray_header_is_returned() {
        let root = "1-5759e988-bd862e3fe1be46a994272793";
        for good in [
            format!("Root={root}"),
            format!("Root={root};Parent=53995c3f42cd8ad8;Sampled=1"),
            format!("Self=1-67891234-12456789abcdef012345678;Root={root}; Lineage=a:0"),
        ] {
            let trace = of(&[(Trace::XRAY_HEADER, &good)]);
            assert_eq!(trace.xray_id(), Some(root), "{good}");
            assert_eq!(back(&trace), [(Trace::XRAY_HEADER.to_owned(), format!("Root={root}"))], "{good}");
        }
        for wrong in [
            "",
            root,
            "Root=",
            "Root=1-5759e988",
            "Root=2-5759e988-bd862e3fe1be46a994272793",
            "Root=1-5759e988-secret",
        ] {
            assert_eq!(of(&[(Trace::XRAY_HEADER, wrong)]), Trace::default(), "{wrong}");
        }
    }
}
