//! Parses an HTTP request into a [`Command`]: route, method, content type, size, deadline, then the
//! body.

use std::time::{Duration, Instant};

use http::{HeaderMap, Request, header};
use saltern_algorithm::Password;
use saltern_seal::Context;
use zeroize::zeroize_stack;

use crate::{
    Arrival, Body, Code, NotAfter, Operation, Problem,
    command::{Command, Element, Given, Task},
    json::{NotMembers, Value},
    problem::Field,
    request_id::is_well_formed,
    route::{Route, body_limit},
};

/// Returns the route of a request.
///
/// # Errors
/// The path does not exist, or does not support the method.
pub(crate) fn route(request: &Request<Body>, metrics: bool) -> Result<Route, (Operation, Problem)> {
    let route = Route::at(request.uri().path()).filter(|&route| metrics || route != Route::Metrics);
    let route = route.ok_or((Operation::None, Problem::new(Code::NotFound)))?;
    if !route.takes(request.method()) {
        return Err((route.operation(), Problem::method_not_allowed(route.allow())));
    }
    Ok(route)
}

/// Parses a request at this route.
pub(crate) fn command(route: Route, request: &Request<Body>) -> Result<Command, Problem> {
    let read = read(route, request);
    if read.is_err() {
        // To find the line of an error, `serde_json` searches the bytes before it with vector
        // registers. Their content may remain on the stack.
        zeroize_stack::<STACK_BYTES>();
    }
    read
}

/// More stack than reading a request uses, in bytes, even without optimisation.
const STACK_BYTES: usize = 64 << 10;

#[inline(never)]
fn read(route: Route, request: &Request<Body>) -> Result<Command, Problem> {
    if route.reads_body() && !is_json(request.headers()) {
        return Err(Problem::new(Code::UnsupportedMediaType));
    }
    if route.reads_body() && !is_plain(request.headers()) {
        return Err(Problem::encoded_body());
    }
    if request.body().len() > body_limit(route.path()) {
        return Err(Problem::body_too_large());
    }
    match route {
        Route::Health => Ok(Command::Health),
        Route::Metrics => Ok(Command::Metrics),
        Route::OpenApi => Ok(Command::OpenApi),
        Route::Policies => Ok(Command::Policies),
        Route::Batch => {
            let deadline = deadline(request)?;
            Ok(Command::Batch(batch(Value::parse(request.body())?)?, deadline))
        }
        Route::Hash => {
            let deadline = deadline(request)?;
            let at = Position { operation: None };
            Ok(Command::Single(hash(at, Value::parse(request.body())?)?, deadline))
        }
        Route::Verify => {
            let deadline = deadline(request)?;
            let at = Position { operation: None };
            Ok(Command::Single(verify(at, Value::parse(request.body())?)?, deadline))
        }
    }
}

/// Whether exactly one `Content-Type` says `application/json`. Parameters are ignored.
fn is_json(headers: &HeaderMap) -> bool {
    let mut given = headers.get_all(header::CONTENT_TYPE).iter();
    let (Some(value), None) = (given.next(), given.next()) else { return false };
    let essence = value.to_str().ok().and_then(|value| value.split(';').next());
    essence.is_some_and(|essence| essence.trim().eq_ignore_ascii_case("application/json"))
}

/// Whether the body has no `Content-Encoding` other than `identity`. Bodies are never decompressed:
/// a few bytes could become gigabytes.
fn is_plain(headers: &HeaderMap) -> bool {
    let mut codings = headers.get_all(header::CONTENT_ENCODING).iter();
    codings.all(|coding| coding.as_bytes().trim_ascii().eq_ignore_ascii_case(b"identity"))
}

/// When the answer becomes useless to the caller.
fn deadline(request: &Request<Body>) -> Result<Instant, Problem> {
    let arrival = request.extensions().get::<Arrival>().map_or_else(Instant::now, |arrival| arrival.at);
    let mut given = request.headers().get_all(DEADLINE_HEADER).iter();
    let budget = match (given.next(), given.next()) {
        (None, _) => Some(DEFAULT_BUDGET_MS),
        (Some(value), None) => value.to_str().ok().and_then(budget_ms),
        (Some(_), Some(_)) => None,
    };
    let field = Field { operation: None, name: DEADLINE_HEADER };
    let budget = budget.ok_or_else(|| Problem::new(Code::InvalidRequest).in_field(field))?;
    let deadline = arrival + Duration::from_millis(budget);
    Ok(request.extensions().get::<NotAfter>().map_or(deadline, |latest| deadline.min(latest.0)))
}

/// Parses digits without sign, leading zero or space.
fn budget_ms(text: &str) -> Option<u64> {
    let printed = !text.starts_with('0') && text.bytes().all(|b| b.is_ascii_digit());
    text.parse().ok().filter(|ms| printed && (1..=MAX_BUDGET_MS).contains(ms))
}

fn batch(body: Value<'_>) -> Result<Vec<Element>, Problem> {
    let at = Position { operation: None };
    if !body.is_object() {
        // A list of operations without its object is a common mistake.
        return Err(at.invalid(body, "operations"));
    }
    let [operations] = at.members(body, ["operations"])?;
    let operations = at.required(body, "operations", operations)?;
    let elements = operations.elements(MAX_OPERATIONS).filter(|elements| !elements.is_empty());
    let elements = elements.ok_or_else(|| at.invalid(operations, "operations"))?;
    Ok(elements.into_iter().enumerate().map(|(i, value)| element(i, value)).collect())
}

fn element(index: usize, value: Value<'_>) -> Element {
    let at = Position { operation: Some(index) };
    let op = value.peek("op").and_then(Value::string);
    let (operation, task) = match op.as_ref().map(|op| op.as_str()) {
        Some("hash") => (Operation::Hash, hash(at, value)),
        Some("verify") => (Operation::Verify, verify(at, value)),
        _ => {
            let place = value.peek("op").unwrap_or(value);
            let name = if value.is_object() { "op" } else { "" };
            (Operation::None, Err(at.invalid(place, name)))
        }
    };
    match value.peek("id").map(|id| at.id(id)).transpose() {
        Ok(id) => Element { id, operation, task },
        Err(problem) => Element { id: None, operation, task: Err(problem) },
    }
}

fn hash(at: Position, value: Value<'_>) -> Result<Task, Problem> {
    let [password, policy, context] = at.members(value, ["password", "policy", "context"])?;
    let password = at.text(value, password, "password")?;
    let policy = policy.map(|policy| at.string(policy, "policy")).transpose()?;
    let context = context.map(|context| at.context(context)).transpose()?;
    Ok(Task::Hash { password: at.password(&password)?, policy, context })
}

fn verify(at: Position, value: Value<'_>) -> Result<Task, Problem> {
    let [password, hash, rehash, context] = at.members(value, ["password", "hash", "rehash", "context"])?;
    let password = at.text(value, password, "password")?;
    let hash = hash.filter(|hash| !hash.is_null()).map(|hash| at.string(hash, "hash")).transpose()?;
    let rehash = rehash.map(|rehash| rehash.boolean().ok_or_else(|| at.invalid(rehash, "rehash")));
    let rehash = rehash.transpose()?.unwrap_or(false);
    let context = context.map(|context| at.context(context)).transpose()?;
    Ok(Task::Verify { password: at.password(&password)?, hash, rehash, context })
}

/// The position of the object whose members are read: the body itself, or one operation of a batch.
/// Problems name it.
#[derive(Clone, Copy)]
struct Position {
    operation: Option<usize>,
}

impl Position {
    fn field(self, name: &'static str) -> Field {
        Field { operation: self.operation, name }
    }

    /// The problem of a value that this field does not accept.
    fn invalid(self, value: Value<'_>, name: &'static str) -> Problem {
        let problem = Problem::new(Code::InvalidRequest).at(value.place());
        match (self.operation, name) {
            (None, "") => problem,
            _ => problem.in_field(self.field(name)),
        }
    }

    /// The members of a task. An operation of a batch may have more.
    fn members<'a, const N: usize>(
        self,
        value: Value<'a>,
        names: [&'static str; N],
    ) -> Result<[Option<Value<'a>>; N], Problem> {
        let beside: &[_] = if self.operation.is_some() { &["id", "op"] } else { &[] };
        value.members(names, beside).map_err(|defect| self.not_members(value, defect))
    }

    fn required<'a>(
        self,
        parent: Value<'_>,
        name: &'static str,
        member: Option<Value<'a>>,
    ) -> Result<Value<'a>, Problem> {
        member.ok_or_else(|| self.invalid(parent, name))
    }

    fn string(self, value: Value<'_>, name: &'static str) -> Result<Given, Problem> {
        value.string().map(Given::new).ok_or_else(|| self.invalid(value, name))
    }

    fn text(
        self,
        parent: Value<'_>,
        member: Option<Value<'_>>,
        name: &'static str,
    ) -> Result<Given, Problem> {
        self.string(self.required(parent, name, member)?, name)
    }

    /// The name that the caller gives to an operation of a batch. Its result has the same.
    fn id(self, value: Value<'_>) -> Result<Given, Problem> {
        let id = self.string(value, "id")?;
        if is_well_formed(id.expose()) { Ok(id) } else { Err(self.invalid(value, "id")) }
    }

    /// The row to which a sealed hash belongs.
    fn context(self, value: Value<'_>) -> Result<Context, Problem> {
        Context::new(self.string(value, "context")?.expose()).ok_or_else(|| self.invalid(value, "context"))
    }

    /// Checks the length of a password. Callers check the types of all members first: a wrong type
    /// is reported before a wrong length.
    fn password(self, text: &Given) -> Result<Password, Problem> {
        Password::new(text.expose().as_bytes())
            .map_err(|_| Problem::new(Code::PasswordTooLong).in_field(self.field("password")))
    }

    fn not_members(self, parent: Value<'_>, defect: NotMembers<'_>) -> Problem {
        match defect {
            NotMembers::NotAnObject => self.invalid(parent, ""),
            NotMembers::Twice(name, value) => self.invalid(value, name),
            NotMembers::Unknown(value) => self.invalid(value, ""),
        }
    }
}

/// The longest head of a request, in bytes: names and values of all headers. The headers of the
/// contract take a few hundred bytes. The rest is for headers of proxies: nginx and Apache accept
/// 8 KiB for one line.
pub const MAX_HEAD_BYTES: usize = 16 * 1024;

/// The caller's remaining budget, in milliseconds.
pub const DEADLINE_HEADER: &str = "Saltern-Deadline-Ms";

/// The longest budget that a caller may name (HTTP contract, "Requests and answers").
pub const MAX_BUDGET_MS: u64 = 60_000;

/// The budget of a caller that names none (HTTP contract, "Requests and answers").
pub const DEFAULT_BUDGET_MS: u64 = 10_000;

/// The most operations of one batch (HTTP contract, table of requests).
pub const MAX_OPERATIONS: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_of_a_command_shows_no_input() {
        let body = br#"{"operations": [
            {"op": "hash", "id": "MARK", "password": "MARK", "policy": "MARK", "context": "MARK"},
            {"op": "verify", "password": "MARK", "hash": "MARK", "rehash": true, "context": "MARK"},
            {"op": "MARK"}
        ]}"#;
        let request = Request::post("/batch").header("content-type", "application/json");
        let request = request.body(Body::new(body.to_vec())).unwrap();
        let command = command(Route::Batch, &request).unwrap();
        let shown = format!("{request:?} {command:?} {:?}", Value::parse(body).unwrap());
        assert!(shown.contains("Verify") && shown.contains("InvalidRequest"));
        assert!(!shown.contains("MARK") && !shown.contains("77, 65, 82, 75"), "{shown}");
    }
}
