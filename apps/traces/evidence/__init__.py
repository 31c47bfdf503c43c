"""Is a manifest of evidence true? Checked beside its artifacts, with a code for each fault. Pure.

The artifacts are files below one root. Nothing outside it is read: `..` and symbolic links are
refused, wherever they lead.
"""

import hashlib
from collections.abc import Iterable
from pathlib import Path

from .checked import UNREADABLE, Checked, Diagnostic, Fault
from .fields import check_artifacts, check_fields, check_signals
from .files import content_of, folder_of, parsed

__all__ = ["UNREADABLE", "Checked", "Diagnostic", "verify"]


def verify(manifest: Path, root: Path | None = None, required: Iterable[str] = ()) -> Checked:
    """Check a manifest and every artifact that it names; `required` are ids that it must name."""
    checked = Checked()
    try:
        base = folder_of(manifest.parent if root is None else root)
        content = content_of(manifest, base)
        checked.sha256 = hashlib.sha256(content).hexdigest()
        said = parsed(content)
    except Fault as fault:
        checked.diagnostics.append(fault.diagnostic)
        return checked
    if not isinstance(said, dict):
        checked.fault("invalid_manifest", "manifest", "The manifest must be a mapping.")
        return checked
    check_fields(said, checked)
    ids = check_artifacts(said.get("artifacts", []), base, checked)
    check_signals(said.get("signals", {}), ids, checked)
    for name in required:
        if name not in ids:
            sentence = f"The artifact {name} is required, and not listed."
            checked.fault("missing_required_artifact", "artifacts", sentence)
    return checked
