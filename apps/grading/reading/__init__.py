"""Subjects as people and programs write them down: other names and shapes are understood. Pure."""

from .subjects import ReadSubject, read_subject
from .values import SubjectError

__all__ = ["ReadSubject", "SubjectError", "read_subject"]
