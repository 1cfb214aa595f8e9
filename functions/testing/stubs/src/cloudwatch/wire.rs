//! Decodes a call from its bytes: <https://smithy.io/2.0/additional-specs/protocols/smithy-rpc-v2.html>.

use std::{collections::BTreeMap, io::Read as _};

use flate2::read::GzDecoder;
use minicbor::{Decoder, data::Type};

use crate::http::Request;

/// One call of `PutMetricData`.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The namespace of the metrics.
    pub namespace: String,
    /// The metrics.
    pub data: Vec<Datum>,
    /// Whether the body was compressed.
    pub zipped: bool,
    /// Bytes of the body before compression.
    pub bytes: usize,
    /// Whether the stub sent a response that accepts the call.
    pub acknowledged: bool,
}

/// Values of one metric.
#[derive(Clone, Debug, PartialEq)]
pub struct Datum {
    /// Name of the metric.
    pub name: String,
    /// Dimensions: name and value.
    pub dimensions: Vec<(String, String)>,
    /// Seconds since 1970.
    pub timestamp: f64,
    /// Unit of the values.
    pub unit: String,
    /// Each value, and how often it occurred.
    pub values: Vec<(f64, f64)>,
}

/// Reads a call, and checks it against the protocol and the API's limits.
pub(crate) fn read(request: &Request) -> Result<Call, String> {
    let expected = [("smithy-protocol", "rpc-v2-cbor"), ("content-type", "application/cbor")];
    for (name, value) in expected {
        if request.header(name) != Some(value) {
            return Err(format!("{name} is {:?}", request.header(name)));
        }
    }
    if !request.header("authorization").is_some_and(|value| value.starts_with("AWS4-HMAC-SHA256 ")) {
        return Err("the request is not signed".to_owned());
    }
    if (request.method.as_str(), request.path.as_str()) != ("POST", OPERATION) {
        return Err(format!("{} {}", request.method, request.path));
    }
    let zipped = request.header("content-encoding") == Some("gzip");
    let mut plain = Vec::new();
    if zipped {
        GzDecoder::new(&*request.body).read_to_end(&mut plain).map_err(|error| error.to_string())?;
    } else {
        plain.clone_from(&request.body);
    }
    let mut decoder = Decoder::new(&plain);
    let input = item(&mut decoder).map_err(|error| error.to_string())?;
    if decoder.position() != plain.len() || request.body.len() > MAX_CALL_BYTES {
        return Err(format!(
            "a body of {} bytes, of which {} were read",
            request.body.len(),
            decoder.position()
        ));
    }
    call(&input, zipped, plain.len()).ok_or_else(|| format!("not a PutMetricData: {input:?}"))
}

/// An item of CBOR, of the types that the operation uses.
#[derive(Clone, Debug)]
enum Item {
    Text(String),
    Number(f64),
    List(Vec<Item>),
    Map(BTreeMap<String, Item>),
}

fn item(decoder: &mut Decoder<'_>) -> Result<Item, minicbor::decode::Error> {
    match decoder.datatype()? {
        Type::Map | Type::MapIndef => {
            let length = decoder.map()?;
            let mut map = BTreeMap::new();
            while more(decoder, length, map.len())? {
                map.insert(decoder.str()?.to_owned(), item(decoder)?);
            }
            Ok(Item::Map(map))
        }
        Type::Array | Type::ArrayIndef => {
            let length = decoder.array()?;
            let mut list = Vec::new();
            while more(decoder, length, list.len())? {
                list.push(item(decoder)?);
            }
            Ok(Item::List(list))
        }
        Type::Tag => {
            decoder.tag()?;
            item(decoder)
        }
        Type::F16 | Type::F32 | Type::F64 => Ok(Item::Number(decoder.f64()?)),
        Type::String => Ok(Item::Text(decoder.str()?.to_owned())),
        _ => Ok(Item::Number(f64::from(i32::try_from(decoder.int()?).unwrap_or(i32::MAX)))),
    }
}

/// Whether a collection has more items. A collection without a length ends with a break.
fn more(
    decoder: &mut Decoder<'_>,
    length: Option<u64>,
    read: usize,
) -> Result<bool, minicbor::decode::Error> {
    if let Some(length) = length {
        return Ok((read as u64) < length);
    }
    let is_end = decoder.datatype()? == Type::Break;
    if is_end {
        decoder.skip()?;
    }
    Ok(!is_end)
}

impl Item {
    fn member(&self, name: &str) -> Option<&Self> {
        if let Self::Map(map) = self { map.get(name) } else { None }
    }

    fn text(&self) -> Option<String> {
        if let Self::Text(text) = self { Some(text.clone()) } else { None }
    }

    fn number(&self) -> Option<f64> {
        if let Self::Number(number) = self { Some(*number) } else { None }
    }

    fn list(&self) -> Option<&[Self]> {
        if let Self::List(list) = self { Some(list) } else { None }
    }

    fn numbers(&self) -> Option<Vec<f64>> {
        self.list()?.iter().map(Self::number).collect()
    }
}

fn call(input: &Item, zipped: bool, bytes: usize) -> Option<Call> {
    let data: Vec<Datum> = input.member("MetricData")?.list()?.iter().map(datum).collect::<Option<_>>()?;
    let namespace = input.member("Namespace")?.text()?;
    (data.len() <= MAX_DATA).then_some(Call { namespace, data, zipped, bytes, acknowledged: false })
}

fn datum(item: &Item) -> Option<Datum> {
    let dimension = |one: &Item| Some((one.member("Name")?.text()?, one.member("Value")?.text()?));
    let dimensions: Vec<_> =
        item.member("Dimensions")?.list()?.iter().map(dimension).collect::<Option<_>>()?;
    let (values, counts) = (item.member("Values")?.numbers()?, item.member("Counts")?.numbers()?);
    let within_limits = dimensions.len() <= MAX_DIMENSIONS
        && values.len() == counts.len()
        && (1..=MAX_VALUES).contains(&values.len());
    within_limits.then_some(Datum {
        name: item.member("MetricName")?.text()?,
        dimensions,
        timestamp: item.member("Timestamp")?.number()?,
        unit: item.member("Unit")?.text()?,
        values: values.into_iter().zip(counts).collect(),
    })
}

/// Path of the operation.
const OPERATION: &str = "/service/GraniteServiceVersion20100801/operation/PutMetricData";

/// An empty map: the output of the operation has no members.
pub(crate) const EMPTY: &[u8] = &[0xbf, 0xff];

/// `{"__type": "ThrottlingException"}`.
pub(crate) const THROTTLED: &[u8] = b"\xa1\x66__type\x73ThrottlingException";

/// The API's limits (`PutMetricData`).
const MAX_CALL_BYTES: usize = 1 << 20;
const MAX_DATA: usize = 1_000;
const MAX_DIMENSIONS: usize = 30;
const MAX_VALUES: usize = 150;
