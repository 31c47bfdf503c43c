"""The chapters of an evaluation, lowest first: see docs/architecture.md."""

VERSION = "0.1.0"
