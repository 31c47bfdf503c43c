"""What no dataset file may exceed, whatever its format."""

import mmap

Source = bytes | bytearray | mmap.mmap

MAX_DOCUMENT_BYTES = 100 * 1024 * 1024
MAX_RECORDS = 50_000
MAX_RECORD_BYTES = 1024 * 1024
"""Of one record as compact UTF-8 JSON, and of one line."""

MAX_ID = 128
LISTED_PER_RECORD = 100
LISTED_PER_DOCUMENT = 100_000
"""Issues listed; all are counted. Past the second limit a record lists its first one only."""
