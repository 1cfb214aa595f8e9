use core::ops::Range;

use zeroize::Zeroizing;

use crate::{ParseError, Setting, encoding::Encoding};

/// The content of a stored hash: the text before the output, the output, and the setting.
///
/// The text before the output stays as it was read. So a printed hash equals the one that was read,
/// and printing cannot fail.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Parts {
    /// Label, name, cost and salt, up to the output.
    pub(crate) head: String,
    pub(crate) output: OutputText,
    pub(crate) setting: Setting,
}

impl Parts {
    /// Takes `text` apart, which must end with the text of `output`.
    pub(crate) fn new(text: &str, output: OutputText, setting: Setting) -> Result<Self, ParseError> {
        let head = text.strip_suffix(output.text().as_str()).ok_or(ParseError::Invalid)?.to_owned();
        let has_its_length = output.bytes.len() == setting.output_bytes();
        if has_its_length { Ok(Self { head, output, setting }) } else { Err(ParseError::Invalid) }
    }

    /// Puts a label or a name before the text.
    pub(crate) fn behind(mut self, name: &str) -> Self {
        self.head.insert_str(0, name);
        self
    }
}

/// An output, and the encoding in which it is written.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct OutputText {
    encoding: Encoding,
    /// Bytes that are encoded together with the output, such as the salt.
    before: Vec<u8>,
    pub(crate) bytes: Zeroizing<Vec<u8>>,
    /// See `before`.
    after: Vec<u8>,
}

impl OutputText {
    pub(crate) fn new(encoding: Encoding, bytes: &[u8]) -> Self {
        Self { encoding, before: Vec::new(), bytes: Zeroizing::new(bytes.to_vec()), after: Vec::new() }
    }

    /// Reads a text that is the output alone.
    pub(crate) fn read(encoding: Encoding, text: &str) -> Result<Self, ParseError> {
        Ok(Self::new(encoding, &encoding.decode(text)?))
    }

    /// The output at `range` of `bytes`, which are encoded together.
    pub(crate) fn within(encoding: Encoding, bytes: &[u8], range: Range<usize>) -> Result<Self, ParseError> {
        let output = bytes.get(range.clone()).ok_or(ParseError::Invalid)?;
        let (before, after) = (bytes[..range.start].to_vec(), bytes[range.end..].to_vec());
        Ok(Self { before, after, ..Self::new(encoding, output) })
    }

    /// The same with other bytes.
    pub(crate) fn with_bytes(&self, bytes: &[u8]) -> Self {
        Self { bytes: Zeroizing::new(bytes.to_vec()), ..self.clone() }
    }

    pub(crate) fn text(&self) -> Zeroizing<String> {
        self.encoding.encode(&Zeroizing::new([&self.before[..], &self.bytes, &self.after].concat()))
    }
}
