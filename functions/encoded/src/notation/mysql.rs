//! MySQL since 4.1 and MariaDB: `*` and the SHA-1 of the SHA-1 of the password, in upper-case
//! hexadecimal, as `PASSWORD()` and `mysql_native_password` write it.
//! Source: MariaDB `sql/password.c`, `my_make_scrambled_password`.

use crate::{
    ParseError, Weakness,
    encoding::Encoding,
    parts::{OutputText, Parts},
    scheme::{Parse, SchemeRow},
    verify_only::digest::{Hash, Order, Setting},
};

pub(crate) static NATIVE: SchemeRow = SchemeRow {
    begins: &["*"],
    // The marks of locked accounts begin so, too.
    is: |text| text.len() == 1 + 2 * Hash::Sha1.output_bytes(),
    weakness: Some(Weakness::Unsalted),
    ..SchemeRow::new("mysql-native", Parse::Text(parse))
};

fn parse(text: &str) -> Result<Parts, ParseError> {
    let output = text.strip_prefix('*').ok_or(ParseError::Invalid)?;
    let output = OutputText::read(Encoding::UpperHex, output)?;
    super::digest(text, output, Setting::new(Hash::Sha1, Order::SaltFirst, Vec::new()).repeated(PASSES))
}

const PASSES: u32 = 2;
