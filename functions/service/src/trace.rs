//! Which trace a request belongs to: W3C Trace Context and AWS X-Ray. What is not of their form is left out, and the
//! request is answered all the same.

use http::{HeaderMap, HeaderName, HeaderValue};

/// The ids under which others know a request. Only hexadecimal digits of a fixed number are taken.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    traceparent: Option<String>,
    xray: Option<String>,
}

impl Trace {
    /// The header of AWS X-Ray, as load balancers and Function URLs send it.
    pub const XRAY_HEADER: &str = "x-amzn-trace-id";

    /// The ids in these headers. `tracestate` is for others and is not looked at.
    #[must_use]
    pub fn of(headers: &HeaderMap) -> Self {
        Self {
            traceparent: only(headers, TRACEPARENT).and_then(traceparent),
            xray: only(headers, Self::XRAY_HEADER).and_then(xray_root),
        }
    }

    /// The W3C trace id.
    #[must_use]
    pub fn id(&self) -> Option<&str> {
        self.traceparent.as_ref().and_then(|whole| whole.get(TRACE_ID))
    }

    /// The X-Ray trace id.
    #[must_use]
    pub fn xray_id(&self) -> Option<&str> {
        self.xray.as_deref()
    }

    /// What goes back with the answer: of each header that came in what was understood.
    pub(crate) fn headers(&self) -> impl Iterator<Item = (HeaderName, HeaderValue)> {
        let xray = self.xray.as_ref().map(|root| format!("{ROOT}{root}"));
        let both = [(TRACEPARENT, self.traceparent.clone()), (Self::XRAY_HEADER, xray)];
        both.into_iter()
            .filter_map(|(name, value)| Some((HeaderName::from_static(name), value?.try_into().ok()?)))
    }
}

/// The value of a header that stands there once.
fn only<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (Some(value), None) => value.to_str().ok(),
        _ => None,
    }
}

/// `version-trace-parent-flags`, in lower case (Trace Context §3.2.2). A later version may have more behind, which we
/// would not understand and do not pass on; version ff is none.
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

/// The root of `Root=1-5759e988-bd862e3fe1be46a994272793;Parent=…;Sampled=1`, whatever else stands there.
fn xray_root(value: &str) -> Option<String> {
    let root = value.split(';').find_map(|field| field.trim_ascii().strip_prefix(ROOT))?;
    let (time, unique) = root.strip_prefix("1-")?.split_once('-')?;
    (is_hex(time, 8) && is_hex(unique, 24)).then(|| root.to_owned())
}

fn is_hex(text: &str, digits: usize) -> bool {
    text.len() == digits && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

/// All zeroes stand for nothing.
fn is_set(text: &str) -> bool {
    text.bytes().any(|b| b != b'0')
}

/// W3C Trace Context.
pub(crate) const TRACEPARENT: &str = "traceparent";

/// Before the trace id in it.
const ROOT: &str = "Root=";

/// `00-` and 32, 16 and 2 digits with dashes between.
const TRACEPARENT_BYTES: usize = 55;

/// Where the trace id stands in it.
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
    fn a_traceparent_is_taken_and_goes_back() {
        let trace = of(&[(TRACEPARENT, GOOD), ("tracestate", "x=y")]);
        assert_eq!(trace.id(), Some("4bf92f3577b34da6a3ce929d0e0e4736"));
        assert_eq!(back(&trace), [(TRACEPARENT.to_owned(), GOOD.to_owned())]);
        // A version to come: what is known of it.
        let later = GOOD.replacen("00", "cc", 1);
        let given = format!("{later}-what-is-new");
        assert_eq!(back(&of(&[(TRACEPARENT, &given)])), [(TRACEPARENT.to_owned(), later)]);
    }

    #[test]
    fn what_is_no_traceparent_is_left_out() {
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
    fn of_an_x_ray_header_the_root_is_taken() {
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
