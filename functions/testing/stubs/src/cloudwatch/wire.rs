//! Decodes a call from its bytes: <https://smithy.io/2.0/additional-specs/protocols/smithy-rpc-v2.html>.

use std::io::Read as _;

use flate2::read::GzDecoder;
use serde::Deserialize;

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

/// The input of the operation. Other members are not read.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Input {
    namespace: String,
    metric_data: Vec<MetricDatum>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct MetricDatum {
    metric_name: String,
    dimensions: Vec<Dimension>,
    timestamp: f64,
    unit: String,
    values: Vec<f64>,
    counts: Vec<f64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Dimension {
    name: String,
    value: String,
}

/// Reads a call, and checks it against the protocol and the API's limits.
pub(crate) fn read(request: &Request) -> Result<Call, String> {
    let expected = [("smithy-protocol", "rpc-v2-cbor"), ("content-type", "application/cbor")];
    for (name, value) in expected {
        if request.header(name) != Some(value) {
            return Err(format!("{name} is {:?}", request.header(name)));
        }
    }
    if !request.is_signed() {
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
    let mut rest = plain.as_slice();
    let input: Input = ciborium::from_reader(&mut rest).map_err(|error| error.to_string())?;
    if !rest.is_empty() || request.body.len() > MAX_CALL_BYTES || input.metric_data.len() > MAX_DATA {
        return Err(format!(
            "{} metrics in a body of {} bytes, of which {} were not read",
            input.metric_data.len(),
            request.body.len(),
            rest.len()
        ));
    }
    let data = input.metric_data.into_iter().map(datum).collect::<Result<_, _>>()?;
    Ok(Call { namespace: input.namespace, data, zipped, bytes: plain.len(), acknowledged: false })
}

fn datum(datum: MetricDatum) -> Result<Datum, String> {
    let MetricDatum { metric_name: name, dimensions, timestamp, unit, values, counts } = datum;
    let is_within_limits = dimensions.len() <= MAX_DIMENSIONS
        && values.len() == counts.len()
        && (1..=MAX_VALUES).contains(&values.len());
    if !is_within_limits {
        let (dimensions, values, counts) = (dimensions.len(), values.len(), counts.len());
        return Err(format!("{name} has {dimensions} dimensions, {values} values and {counts} counts"));
    }
    let dimensions = dimensions.into_iter().map(|dimension| (dimension.name, dimension.value)).collect();
    Ok(Datum { name, dimensions, timestamp, unit, values: values.into_iter().zip(counts).collect() })
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
