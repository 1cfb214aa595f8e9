//! Reads JSON in two passes: first the syntax and encoding of the whole body, then its values.
//!
//! The first pass rejects the body if its syntax or encoding is wrong anywhere, for example by a
//! lone surrogate. The second pass assigns each other error to its operation of a batch. Messages
//! of `serde_json` are never used, since they quote the input.

use core::fmt;

use serde::{
    Deserialize, Deserializer,
    de::{Error as _, MapAccess, SeqAccess, Visitor},
};
use serde_json::value::RawValue;
use zeroize::Zeroizing;

use crate::{Code, Problem, problem::Place};

/// A value in a body whose syntax and encoding are valid.
#[derive(Clone, Copy)]
pub(crate) struct Value<'a> {
    /// The body from this place to its end. The value is in it.
    rest: &'a str,
    from: Place,
    own: &'a str,
}

impl<'a> Value<'a> {
    /// Returns the body as one value, or a problem with the place of the first error.
    pub(crate) fn parse(body: &'a [u8]) -> Result<Self, Problem> {
        let invalid = |place| Problem::new(Code::InvalidJson).at(place);
        let whole =
            core::str::from_utf8(body).map_err(|e| invalid(place_after(START, &body[..e.valid_up_to()])))?;
        let WellFormed = serde_json::from_str(whole)
            .map_err(|e| invalid(Place { line: e.line().max(1), column: e.column().max(1) }))?;
        Ok(Self { rest: whole, from: START, own: whole.trim_matches(WHITESPACE) })
    }

    /// The place of its first byte.
    pub(crate) fn place(self) -> Place {
        place_after(self.from, self.rest.as_bytes().get(..self.start()).unwrap_or_default())
    }

    /// Where it starts in `rest`.
    fn start(self) -> usize {
        (self.own.as_ptr() as usize).saturating_sub(self.rest.as_ptr() as usize)
    }

    /// A value behind the start of this one. Places in it are counted from its own start, so that many
    /// defects of a long body do not each count all of it.
    fn followed_by(self, own: &'a str) -> Self {
        let next = Self { own, ..self };
        Self { rest: self.rest.get(next.start()..).unwrap_or_default(), from: next.place(), own }
    }

    pub(crate) fn is_null(self) -> bool {
        self.own == "null"
    }

    pub(crate) fn boolean(self) -> Option<bool> {
        match self.own {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        }
    }

    pub(crate) fn string(self) -> Option<Zeroizing<String>> {
        self.own.starts_with('"').then(|| serde_json::from_str(self.own).ok()).flatten().map(Zeroizing::new)
    }

    /// The elements of an array; `None` for other values and for more elements than `at_most`.
    pub(crate) fn elements(self, at_most: usize) -> Option<Vec<Value<'a>>> {
        let reader = Elements { array: self, at_most };
        serde_json::Deserializer::from_str(self.own).deserialize_seq(reader).ok()
    }

    pub(crate) fn is_object(self) -> bool {
        self.own.starts_with('{')
    }

    /// The members with these names, in the order of the names. The object may also have the
    /// members `beside`, which the caller reads by [`Self::peek`].
    ///
    /// # Errors
    /// The value is not an object, or it has an unknown member or a member twice.
    pub(crate) fn members<const N: usize>(
        self,
        names: [&'static str; N],
        beside: &[&'static str],
    ) -> Result<[Option<Value<'a>>; N], NotMembers<'a>> {
        if !self.is_object() {
            return Err(NotMembers::NotAnObject);
        }
        let mut defect = None;
        let reader = Members { object: self, names, beside, defect: &mut defect };
        let members = serde_json::Deserializer::from_str(self.own).deserialize_map(reader);
        members.map_err(|_| defect.unwrap_or(NotMembers::NotAnObject))
    }

    /// The member with this name; `None` if the object has it twice. Other members are ignored.
    pub(crate) fn peek(self, name: &'static str) -> Option<Value<'a>> {
        if !self.is_object() {
            return None;
        }
        serde_json::Deserializer::from_str(self.own).deserialize_map(Peek { object: self, name }).ok()?
    }
}

/// Shows no part of the value.
impl fmt::Debug for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Value(..)")
    }
}

/// Why a value does not have the expected members.
#[derive(Clone, Copy, Debug)]
pub(crate) enum NotMembers<'a> {
    NotAnObject,
    Twice(&'static str, Value<'a>),
    Unknown(Value<'a>),
}

/// Decodes a value and discards it. Unlike `IgnoredAny` it checks the escapes of strings.
struct WellFormed;

impl<'de> Deserialize<'de> for WellFormed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Self)
    }
}

impl<'de> Visitor<'de> for WellFormed {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_str<E>(self, _: &str) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_unit<E>(self) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self, A::Error> {
        while let Some(Self) = seq.next_element()? {}
        Ok(self)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self, A::Error> {
        while let Some((Self, Self)) = map.next_entry()? {}
        Ok(self)
    }
}

struct Elements<'a> {
    array: Value<'a>,
    at_most: usize,
}

impl<'a> Visitor<'a> for Elements<'a> {
    type Value = Vec<Value<'a>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'a>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let (mut elements, mut last) = (Vec::new(), self.array);
        while let Some(raw) = seq.next_element::<&RawValue>()? {
            if elements.len() == self.at_most {
                return Err(A::Error::custom("too many"));
            }
            last = last.followed_by(raw.get());
            elements.push(last);
        }
        Ok(elements)
    }
}

struct Members<'a, 'd, const N: usize> {
    object: Value<'a>,
    names: [&'static str; N],
    beside: &'d [&'static str],
    defect: &'d mut Option<NotMembers<'a>>,
}

impl<'a, const N: usize> Visitor<'a> for Members<'a, '_, N> {
    type Value = [Option<Value<'a>>; N];

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'a>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = [None; N];
        let mut besides = vec![None; self.beside.len()];
        while let Some((key, raw)) = map.next_entry::<String, &RawValue>()? {
            let key = Zeroizing::new(key);
            let value = Value { own: raw.get(), ..self.object };
            let slots = self.names.iter().zip(&mut members).chain(self.beside.iter().zip(&mut besides));
            let known = slots.into_iter().find(|(name, _)| **name == *key);
            let defect = match known {
                None => NotMembers::Unknown(value),
                Some((name, Some(_))) => NotMembers::Twice(name, value),
                Some((_, member)) => {
                    *member = Some(value);
                    continue;
                }
            };
            *self.defect = Some(defect);
            return Err(A::Error::custom("not the members"));
        }
        Ok(members)
    }
}

struct Peek<'a> {
    object: Value<'a>,
    name: &'static str,
}

impl<'a> Visitor<'a> for Peek<'a> {
    type Value = Option<Value<'a>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'a>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut found = None;
        let mut times = 0_usize;
        while let Some((key, raw)) = map.next_entry::<String, &RawValue>()? {
            if *Zeroizing::new(key) == self.name {
                found = Some(Value { own: raw.get(), ..self.object });
                times += 1;
            }
        }
        Ok(found.filter(|_| times == 1))
    }
}

/// The place of the byte after these, of which the first one is at `from`.
fn place_after(from: Place, before: &[u8]) -> Place {
    let lines = before.split(|&b| b == b'\n').count();
    let newline = before.iter().rposition(|&b| b == b'\n');
    let column = newline.map_or(from.column + before.len(), |newline| before.len() - newline);
    Place { line: from.line + lines - 1, column }
}

/// The place of the first byte of a body.
const START: Place = Place { line: 1, column: 1 };

/// The whitespace of RFC 8259 §2. `str::trim` would remove more characters.
const WHITESPACE: [char; 4] = [' ', '\t', '\n', '\r'];
