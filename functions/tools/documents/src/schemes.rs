//! The generated parts of `SCHEMES.md`.

use saltern_encoded::Scheme;

/// Makes the text of `SCHEMES.md` from its present text: fills the columns "weak" and "client
/// alone" of each scheme.
///
/// `client_schemes` has a line for each scheme that the Scala client verifies, as
/// `client-scala/local-schemes.txt`.
///
/// # Panics
/// If the tables name a scheme that does not exist, or if the client has only some of the schemes
/// that share a name.
pub(crate) fn markdown(existing: &str, client_schemes: &str) -> String {
    existing.lines().map(|line| row(line, client_schemes).unwrap_or_else(|| line.to_owned()) + "\n").collect()
}

/// The row of a scheme; `None` if the line is not one.
fn row(line: &str, client_schemes: &str) -> Option<String> {
    let (name, _) = line.strip_prefix("| `")?.split_once("` | ")?;
    let mut cells: Vec<_> = line.strip_prefix('|')?.strip_suffix('|')?.split('|').collect();
    let schemes = Scheme::ALL.iter().filter(|scheme| scheme.name() == name);
    let scheme = schemes.clone().next();
    let is_weak = scheme.unwrap_or_else(|| panic!("SCHEMES.md names {name}")).weakness().is_some();
    let of_the_client = client_schemes.lines().filter(|scheme| service_name(scheme) == Some(name));
    let (here, there) = (schemes.count(), of_the_client.count());
    assert!(there == 0 || there == here, "{name}: {here} schemes in the service, {there} in the client");
    cells[WEAK_COLUMN] = if is_weak { " weak " } else { " " };
    cells[CLIENT_COLUMN] = if there > 0 { " yes " } else { " **no** " };
    Some(format!("|{}|", cells.join("|")))
}

/// The service's name of a scheme of the client.
///
/// If schemes of the service share a name, the client appends a word: `spring-pbkdf2-base64`.
fn service_name(of_the_client: &str) -> Option<&'static str> {
    let is_of = |name: &&str| {
        of_the_client.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
    };
    Scheme::ALL.iter().map(|scheme| scheme.name()).filter(is_of).max_by_key(|name| name.len())
}

/// The index of two cells of a row: name, form, weak, client alone, computed as.
const WEAK_COLUMN: usize = 2;
const CLIENT_COLUMN: usize = 3;

#[cfg(test)]
mod tests {
    use super::*;

    const SCHEMES_MD: &str = include_str!("../../../encoded/SCHEMES.md");
    const CLIENT_SCHEMES: &str = include_str!("../../../../client-scala/local-schemes.txt");

    #[test]
    fn the_tables_name_each_scheme_once() {
        for scheme in Scheme::ALL {
            let start = format!("| `{}` | ", scheme.name());
            let times = SCHEMES_MD.lines().filter(|line| line.starts_with(&start)).count();
            assert_eq!(times, 1, "{scheme:?} has {times} rows in SCHEMES.md");
        }
    }

    #[test]
    fn every_scheme_of_the_client_is_one_of_the_service() {
        for name in CLIENT_SCHEMES.lines() {
            assert!(service_name(name).is_some(), "{name} in local-schemes.txt");
        }
    }
}
