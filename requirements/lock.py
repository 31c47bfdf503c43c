"""Compile the locks: versions and hashes for every platform, and no address of any registry.

Further arguments go to `uv pip compile`, such as --upgrade.
"""

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
UV = str(Path(sys.executable).with_name("uv"))
OPTIONS = "--quiet --universal --python-version=3.11 --generate-hashes --no-annotate --no-header"
SOURCES = {
    "app.txt": "pyproject.toml",
    "dev.txt": "pyproject.toml --extra=dev",
    "argilla.txt": "--group=pyproject.toml:argilla",
    "install.txt": "--group=pyproject.toml:install",
}


def main() -> None:
    for lock, sources in SOURCES.items():
        words = f"pip compile {OPTIONS} {sources} --output-file=requirements/{lock}".split()
        subprocess.run([UV, *words, *sys.argv[1:]], check=True, cwd=HERE.parent)


if __name__ == "__main__":
    main()
