//! Keeps events that are not JSON from the Lambda runtime.

use lambda_runtime::LambdaInvocation;
use serde_json::value::RawValue;

/// Replaces an event that is not JSON by `null`, which [`event::read`](crate::event::read) refuses
/// with a 400.
///
/// Without this the runtime itself answers such an event, with serde's message in the log and in the
/// response. An event that is not UTF-8 can end the process. The runtime also accepts an event with
/// trailing bytes.
pub(crate) fn guarded(mut invocation: LambdaInvocation) -> LambdaInvocation {
    if serde_json::from_slice::<&RawValue>(&invocation.body).is_err() {
        invocation.body = NOT_AN_EVENT.into();
    }
    invocation
}

const NOT_AN_EVENT: &[u8] = b"null";
