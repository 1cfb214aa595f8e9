# What a file is (Opening).
#
# A plain sentence has a subject, a verb and an object.
resource "sample" "sample" {
  # Somebody wrote this (Opening, Words).
  text = "What stands in a # string is not read, whoever wrote it" # See ticket 12 (Tracker).
  long = <<-EOT
    # What stands in a block of text is not read, whoever wrote it.
  EOT
  // This comment is long (Length), and goes on with many words after the comma, and again after the
  // next one, until a reader has forgotten how it began, and must read it once more.
  # This line is short in words but has too many columns, `because_of_one_very_long_name_that_is` (Columns).
}
