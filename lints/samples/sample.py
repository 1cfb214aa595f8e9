"""What a module is (Opening).

    whoever reads usage reads no prose

A plain sentence has a subject, a verb and an object.
"""

TEXT = """What stands in a # string is not read, whoever wrote it"""


def sample():
    """Somebody wrote this (Opening, Words)."""
    return "What stands in a # string is not read"  # See issue 12 (Tracker).
    # This comment is long (Length), and goes on with many words after the comma, and again after
    # the next one, until a reader has forgotten how it began, and must read it once more.
    # This line is short in words but has too many columns, `because_of_one_very_long_name_that` (Columns).
