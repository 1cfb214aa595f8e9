//! Hashes of software whose form is not read as it is.

/// Returns the software that writes such values.
pub(super) fn software_of(value: &str) -> Option<&'static str> {
    let begins = |beginnings: &[&str]| beginnings.iter().any(|beginning| value.starts_with(beginning));
    let is_hex_after = |beginnings: &[&str], lengths: &[usize]| {
        let rest = beginnings.iter().find_map(|beginning| value.strip_prefix(beginning));
        rest.is_some_and(|rest| is_hex(rest, lengths))
    };
    // Magento 2 adds the version of each further computation over a hash that it has upgraded.
    let magento_versions = || {
        let (hash, versions) = (value.split(':').next(), value.split(':').skip(2));
        let is_magento = hash.is_some_and(|hash| is_hex(hash, &[32, 64]))
            && versions.clone().all(|version| version.starts_with(['0', '1', '2', '3']));
        if is_magento { versions.count() } else { 0 }
    };
    Some(match value {
        _ if begins(&["$2x$"]) => "bcrypt-2x",
        _ if begins(&["$8$", "$9$"]) => "cisco",
        _ if begins(&["-pbkdf2-", "-hashed-"]) => "couchdb",
        _ if begins(&["{\""]) => JSON,
        _ if begins(&["PBKDF2WithHmacSHA1", "{PBKDF2WithHmacSHA1", "{PBKDF2WITHHMACSHA"]) => "liferay",
        _ if magento_versions() == 1 => "magento2",
        _ if magento_versions() > 1 => "magento2-upgraded",
        // crypt(3) pads no Base64.
        _ if begins(&["$6$", "$7$"]) && value.ends_with('=') => "mosquitto",
        _ if is_hex_after(&["0x0100", "0x0200"], &[48, 88, 136]) => "mssql",
        _ if begins(&["$A$00"]) => "mysql-sha2",
        _ if begins(&["1|$", "2|$", "3|$"]) => "nextcloud",
        _ if is_hex_after(&["S:", "T:"], &[60, 160]) => "oracle",
        _ if begins(&["SCRAM-SHA-256$"]) || is_hex_after(&["md5"], &[32]) => "postgresql",
        _ => return None,
    })
}

/// Says what to do with the hashes of this software.
pub(super) fn in_words(software: &str) -> String {
    match software {
        "liferay" | "magento2" | "mosquitto" | "nextcloud" => {
            format!("a hash of this software: `saltern convert --from {software}` reads it")
        }
        JSON => {
            "a text in JSON: `saltern convert --from keycloak` reads that of Keycloak; of others export the \
                 hash in it alone"
                .to_owned()
        }
        _ => "a hash of this software, which is not read: keep your old check for it".to_owned(),
    }
}

fn is_hex(text: &str, lengths: &[usize]) -> bool {
    lengths.contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

const JSON: &str = "json";
