/* What a script is (Opening). */

// A plain sentence has a subject, a verb and an object.
const text = `Hence a // string is not read`; // Somebody wrote this (Opening, Words).
// See issue 12 (Tracker).

// This comment is long (Length), and goes on with many words after the comma, and again after the
// next one, until a reader has forgotten how it began, and must read it once more.
// This line is short in words but has too many columns, `becauseOfOneVeryLongNameThatIsInIt` (Columns).
