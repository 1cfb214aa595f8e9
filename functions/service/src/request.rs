//! Parses the body of a request into a [`Command`].

use saltern_kernels::Password;
use saltern_seal::Context;
use zeroize::zeroize_stack;

use crate::{
    Body, Code, Operation, Problem,
    command::{Command, Element, SecretText, Task},
    json::{NotMembers, Value},
    problem::Field,
    request_id::is_well_formed,
    route::Route,
};

/// Parses the body of a request for this route.
pub(crate) fn command(route: Route, body: &Body) -> Result<Command, Problem> {
    let read = read(route, body);
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
fn read(route: Route, body: &Body) -> Result<Command, Problem> {
    if body.len() > route.body_limit() {
        return Err(Problem::new(Code::BodyTooLarge));
    }
    let at = Position { operation: None };
    match route {
        Route::Health => Ok(Command::Health),
        Route::Metrics => Ok(Command::Metrics),
        Route::OpenApi => Ok(Command::OpenApi),
        Route::Policies => Ok(Command::Policies),
        Route::Batch => Ok(Command::Batch(batch(Value::parse(body)?)?)),
        Route::Hash => Ok(Command::Single(hash(at, Value::parse(body)?)?)),
        Route::Verify => Ok(Command::Single(verify(at, Value::parse(body)?)?)),
    }
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

    fn string(self, value: Value<'_>, name: &'static str) -> Result<SecretText, Problem> {
        value.string().map(SecretText::new).ok_or_else(|| self.invalid(value, name))
    }

    fn text(
        self,
        parent: Value<'_>,
        member: Option<Value<'_>>,
        name: &'static str,
    ) -> Result<SecretText, Problem> {
        self.string(self.required(parent, name, member)?, name)
    }

    /// The name that the caller gives to an operation of a batch. Its result has the same.
    fn id(self, value: Value<'_>) -> Result<SecretText, Problem> {
        let id = self.string(value, "id")?;
        if is_well_formed(id.expose()) { Ok(id) } else { Err(self.invalid(value, "id")) }
    }

    /// The row to which a sealed hash belongs.
    fn context(self, value: Value<'_>) -> Result<Context, Problem> {
        Context::new(self.string(value, "context")?.expose()).ok_or_else(|| self.invalid(value, "context"))
    }

    /// Checks the length of a password. Callers check the types of all members first: a wrong type
    /// is reported before a wrong length.
    fn password(self, text: &SecretText) -> Result<Password, Problem> {
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

/// The most operations of one batch (HTTP contract).
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
        let given = Body::new(body.to_vec());
        let command = command(Route::Batch, &given).unwrap();
        let shown = format!("{given:?} {command:?} {:?}", Value::parse(body).unwrap());
        assert!(shown.contains("Verify") && shown.contains("InvalidRequest"));
        assert!(!shown.contains("MARK") && !shown.contains("77, 65, 82, 75"), "{shown}");
    }
}
