//! Ory Kratos: `$sha256$pf=<template>$<salt>$<output>`, each in Base64 with padding.
//!
//! The template is a text in which `{SALT}` and `{PASSWORD}` stand for the two. The digest is of
//! the filled text, so this form states digests that sites made themselves.
//!
//! Kratos also reads templates without a salt. They are refused here: LDAP's labels state unsalted
//! digests.
//!
//! Source: Ory Kratos `hash/hash_comparator.go`, `decodeMD5Hash` and `decodeSHAHash`.

use crate::{
    ParseError, Weakness,
    encoding::Encoding,
    parts::{OutputText, Parts},
    phc::fields,
    scheme::{Parse, SchemeRow},
    verify_only::digest::{Order, Piece, Setting},
};

pub(crate) static DIGEST: SchemeRow = SchemeRow {
    begins: &["$md5$pf=", "$sha1$pf=", "$sha256$pf=", "$sha512$pf="],
    weakness: Some(Weakness::Fast),
    ..SchemeRow::new("kratos-digest", Parse::Text(parse))
};

fn parse(text: &str) -> Result<Parts, ParseError> {
    let [_before, function, template, salt, output] = fields(text, '$')?;
    let hash = function.parse().map_err(|_| ParseError::Invalid)?;
    let template = template.strip_prefix("pf=").ok_or(ParseError::Invalid)?;
    let pieces = pieces(&Encoding::Base64.decode(template)?);
    let salt = Encoding::Base64.decode(salt)?.to_vec();
    // Without the password every password would match.
    let is_filled = pieces.contains(&Piece::Password) && pieces.contains(&Piece::Salt);
    if !is_filled || salt.is_empty() {
        return Err(ParseError::Invalid);
    }
    let output = OutputText::read(Encoding::Base64, output)?;
    super::digest(text, output, Setting::new(hash, Order::Template(pieces), salt))
}

/// Splits a template at its marks.
fn pieces(mut template: &[u8]) -> Vec<Piece> {
    let (mut pieces, mut text) = (Vec::new(), Vec::new());
    while let [first, rest @ ..] = template {
        let mark = MARKS.iter().find(|(mark, _)| template.starts_with(mark));
        let Some((mark, piece)) = mark else {
            text.push(*first);
            template = rest;
            continue;
        };
        if !text.is_empty() {
            pieces.push(Piece::Text(core::mem::take(&mut text)));
        }
        pieces.push(piece.clone());
        template = &template[mark.len()..];
    }
    if !text.is_empty() {
        pieces.push(Piece::Text(text));
    }
    pieces
}

const MARKS: [(&[u8], Piece); 2] = [(b"{PASSWORD}", Piece::Password), (b"{SALT}", Piece::Salt)];
