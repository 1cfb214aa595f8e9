//! A stub of AWS KMS on the loopback interface, for tests. It knows `Decrypt` alone.
//!
//! It reads the bytes of the protocol without the SDK: JSON 1.1 over HTTP/1.1.

use std::{io, sync::Arc};

use base64::{Engine as _, prelude::BASE64_STANDARD};
use serde_json::{Value, json};

use crate::{
    http::{Request, Response, Stub},
    watched::Watched,
};

/// A document that the stub decrypts.
#[derive(Clone, Debug)]
pub struct Document {
    /// The bytes in the file.
    pub ciphertext: Vec<u8>,
    /// The answer.
    pub plaintext: Vec<u8>,
    /// The encryption context under which it was encrypted.
    pub context: Value,
}

/// How the stub treats calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Behaviour {
    /// Decrypts the documents under their contexts.
    #[default]
    Decrypts,
    /// Refuses calls, with an `AccessDeniedException`.
    Denies,
    /// Closes the connection without a response.
    Disconnects,
}

/// The server. Dropping it closes its port.
#[derive(Debug)]
pub struct Kms {
    shared: Arc<Watched<State>>,
    stub: Stub,
}

#[derive(Debug, Default)]
struct State {
    behaviour: Behaviour,
    calls: usize,
}

impl Kms {
    /// Listens on a free port of the loopback interface.
    ///
    /// # Errors
    /// [`io::Error`] if the system has no free port or no thread.
    pub fn start(documents: &[Document]) -> io::Result<Self> {
        let (shared, documents) = (Arc::<Watched<State>>::default(), documents.to_vec());
        let serving = Arc::clone(&shared);
        let stub = Stub::start(move |request| {
            let behaviour = serving.change(|state| {
                state.calls += 1;
                state.behaviour
            });
            let (status, body) = match behaviour {
                Behaviour::Decrypts => match decrypt(&request, &documents) {
                    Ok(plaintext) => (200, json!({"Plaintext": BASE64_STANDARD.encode(plaintext)})),
                    Err(code) => (400, json!({"__type": code})),
                },
                Behaviour::Denies => (400, json!({"__type": "AccessDeniedException"})),
                Behaviour::Disconnects => return None,
            };
            Some(Response::new(status, &[("content-type", "application/x-amz-json-1.1")], body.to_string()))
        })?;
        Ok(Self { shared, stub })
    }

    /// Returns the value for `AWS_ENDPOINT_URL_KMS`.
    #[must_use]
    pub fn endpoint(&self) -> String {
        self.stub.endpoint()
    }

    /// Changes how the stub treats calls from now on.
    pub fn behave(&self, behaviour: Behaviour) {
        self.shared.lock().behaviour = behaviour;
    }

    /// Returns the number of received calls.
    #[must_use]
    pub fn calls(&self) -> usize {
        self.shared.lock().calls
    }
}

/// Returns the plaintext, or the code of the error that KMS answers.
fn decrypt<'a>(request: &Request, documents: &'a [Document]) -> Result<&'a [u8], &'static str> {
    if !request.is_signed() || request.header("x-amz-target") != Some("TrentService.Decrypt") {
        return Err("UnknownOperationException");
    }
    let call: Value = serde_json::from_slice(&request.body).map_err(|_| "SerializationException")?;
    let ciphertext = call["CiphertextBlob"].as_str().and_then(|text| BASE64_STANDARD.decode(text).ok());
    let document = documents.iter().find(|document| {
        Some(&document.ciphertext) == ciphertext.as_ref() && document.context == call["EncryptionContext"]
    });
    document.map(|document| document.plaintext.as_slice()).ok_or("InvalidCiphertextException")
}
