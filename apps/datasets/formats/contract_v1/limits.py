"""The numbers of Dataset Contract v1. Sizes are bytes of compact UTF-8 JSON; KB = 1,024 bytes."""

MAX_DOCUMENT_BYTES = 100 * 1024 * 1024
MAX_RECORDS = 50_000
MAX_RECORD_BYTES = 256 * 1024
MAX_DOCUMENT_METADATA_BYTES = 16 * 1024
MAX_RECORD_METADATA_BYTES = 8 * 1024
MAX_METADATA_LEVELS = 5

MAX_LEVELS = 254
"""Of nesting in a record or a top-level field: what the JSON writer can write."""

WINDOW_BYTES = 4 * 1024 * 1024
"""How much of a document is looked at at once. A record that does not fit is too large."""

LISTED_PER_RECORD = 100
LISTED_PER_DOCUMENT = 100_000
"""Issues listed; all are counted. Past the second limit a record lists its first one only."""
