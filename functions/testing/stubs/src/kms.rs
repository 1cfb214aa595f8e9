//! A stub of AWS KMS on the loopback interface, for tests. It knows `Decrypt` alone.
//!
//! It reads the bytes of the protocol without the SDK: JSON 1.1 over HTTP/1.1.

use std::{
    io,
    net::{SocketAddr, TcpStream},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use base64::{Engine as _, prelude::BASE64_STANDARD};
use serde_json::{Value, json};

use crate::http;

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
    shared: Arc<Mutex<State>>,
    address: SocketAddr,
}

impl Kms {
    /// Listens on a free port of the loopback interface.
    ///
    /// # Errors
    /// [`io::Error`] if the system has no free port or no thread.
    pub fn start(documents: &[Document]) -> io::Result<Self> {
        let state = State { documents: documents.to_vec(), ..State::default() };
        let shared = Arc::new(Mutex::new(state));
        let (accepting, serving) = (Arc::clone(&shared), Arc::clone(&shared));
        let is_closed = move || lock(&accepting).closed;
        let address = http::listen("kms", is_closed, move |connection| serve(connection, &serving))?;
        Ok(Self { shared, address })
    }

    /// Returns the value for `AWS_ENDPOINT_URL_KMS`.
    #[must_use]
    pub fn endpoint(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Changes how the stub treats calls from now on.
    pub fn behave(&self, behaviour: Behaviour) {
        lock(&self.shared).behaviour = behaviour;
    }

    /// Returns the number of received calls.
    #[must_use]
    pub fn calls(&self) -> usize {
        lock(&self.shared).calls
    }
}

impl Drop for Kms {
    fn drop(&mut self) {
        lock(&self.shared).closed = true;
        // This wakes the accepting thread, which closes the port.
        let _refused = TcpStream::connect(self.address);
    }
}

#[derive(Debug, Default)]
struct State {
    documents: Vec<Document>,
    behaviour: Behaviour,
    calls: usize,
    closed: bool,
}

fn lock(shared: &Mutex<State>) -> MutexGuard<'_, State> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

fn serve(connection: &TcpStream, shared: &Mutex<State>) -> io::Result<()> {
    let mut reader = io::BufReader::new(connection);
    while let Some(request) = http::read(&mut reader)? {
        let answer = {
            let mut state = lock(shared);
            state.calls += 1;
            match state.behaviour {
                Behaviour::Decrypts => decrypt(&request, &state.documents),
                Behaviour::Denies => Err("AccessDeniedException"),
                Behaviour::Disconnects => return Ok(()),
            }
        };
        let (status, body) = match answer {
            Ok(plaintext) => (200, json!({"Plaintext": BASE64_STANDARD.encode(plaintext)})),
            Err(code) => (400, json!({"__type": code})),
        };
        http::write(connection, status, &PROTOCOL, body.to_string().as_bytes())?;
    }
    Ok(())
}

/// Returns the plaintext, or the code of the error that KMS answers.
fn decrypt(request: &http::Request, documents: &[Document]) -> Result<Vec<u8>, &'static str> {
    let is_signed =
        request.header("authorization").is_some_and(|value| value.starts_with("AWS4-HMAC-SHA256 "));
    if !is_signed || request.header("x-amz-target") != Some("TrentService.Decrypt") {
        return Err("UnknownOperationException");
    }
    let call: Value = serde_json::from_slice(&request.body).map_err(|_| "SerializationException")?;
    let ciphertext = call["CiphertextBlob"].as_str().and_then(|text| BASE64_STANDARD.decode(text).ok());
    let document = documents.iter().find(|document| {
        Some(&document.ciphertext) == ciphertext.as_ref() && document.context == call["EncryptionContext"]
    });
    document.map(|document| document.plaintext.clone()).ok_or("InvalidCiphertextException")
}

/// The headers of every response of the protocol.
const PROTOCOL: [(&str, &str); 1] = [("content-type", "application/x-amz-json-1.1")];
