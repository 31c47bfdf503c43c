"""Where cases come from: the main file, and the files that it names."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from apps.datasets.contracts import Rejected
from apps.datasets.formats.agentv.eras import CASE_LISTS
from apps.datasets.formats.base import Progress
from apps.datasets.formats.building import Place, Problem
from apps.datasets.formats.csv_text import read_table, renamed
from apps.datasets.formats.lines import NotJson, json_lines, loads
from apps.datasets.formats.yaml_text import Lines, NotYaml, load_yaml_with_lines
from apps.datasets.uploading.bundles import Bundle, normal_path
from apps.datasets.uploading.limits import Source

COMPLETE = "Each line must be a complete JSON object"
AS_NAMED: Mapping[str, str] = {}
MOST_FILES = 200
MOST_JSON = 10 * 1024 * 1024
PROGRAMS = (".js", ".mjs", ".cjs", ".ts", ".mts", ".py", ".sh")


class Found(NamedTuple):
    """A case as it stands: where, in which file (empty: the main one), and what it says."""

    place: Place
    value: Any
    file: str = ""
    problem: Problem | None = None


def of_lines(raw: Source, file: str, progress: Progress | None) -> Iterator[Found]:
    for line in json_lines(raw, progress):
        number = line.place.line
        if line.error:
            message = f"Line {number}: Invalid JSON - {line.error}"
            column = f"column {line.column}" if line.column else ""
            problem = Problem("invalid_json", message, column, "", COMPLETE)
            yield Found(line.place, None, file, problem)
        else:
            yield _line_of(line.place, line.value, file)


def _line_of(place: Place, value: Any, file: str) -> Found:
    if isinstance(value, dict):
        return Found(place, value, file)
    message = f"Line {place.line}: Invalid JSON - Expected JSON object"
    return Found(place, None, file, Problem("invalid_json", message, "", value, COMPLETE))


def _entry_of(place: Place, value: Any, file: str) -> Found:
    if isinstance(value, dict):
        return Found(place, value, file)
    where = f"Line {place.line}: " if place.line else ""
    problem = Problem("invalid_case", f"{where}A case must be an object", "", value)
    return Found(place, None, file, problem)


def of_table(
    raw: Source, file: str, progress: Progress | None, mapping: Mapping[str, str] = AS_NAMED
) -> Iterator[Found]:
    """The rows of a CSV; a row that names no id is `row-1`, `row-2` and so on."""
    for row in read_table(raw, progress).rows:
        problem = Problem("invalid_row", row.error) if row.error else None
        cells = {name: text for name, text in renamed(row.cells, mapping).items() if name}
        if not cells.get("id", "").strip():
            others = {name: text for name, text in cells.items() if name != "id"}
            cells = {"id": f"row-{row.place.index + 1}", **others}
        yield Found(row.place, cells, file, problem)


def read_yaml(text: str, name: str = "") -> tuple[Any, Lines]:
    """Raises Rejected, with the line, for what is no YAML."""
    try:
        return load_yaml_with_lines(text)
    except NotYaml as error:
        where = f"{name}: " if name else ""
        raise Rejected(
            f"{where}Line {error.line}: Invalid YAML - {error.message}",
            details={"line": error.line},
        ) from None


class Listed:
    """The cases of a list that may name files, with what could not be had in `warnings`."""

    def __init__(self, bundle: Bundle, warnings: list[str]) -> None:
        self._bundle = bundle
        self._warnings = warnings
        self._opened: set[str] = set()

    def cases(self, value: Any, lines: Lines, *path: str | int) -> Iterator[Found]:
        """Of a list with cases and names of files, or of the name of a file."""
        entries = value if isinstance(value, list) else [value]
        if sum(isinstance(entry, str) for entry in entries) > MOST_FILES:
            raise Rejected(f"The suite names more than {MOST_FILES} files with cases.")
        for number, entry in enumerate(entries):
            at = (*path, number) if isinstance(value, list) else path
            if isinstance(entry, str):
                yield from self._referred(entry)
            else:
                line = lines.of(*at) if lines else None
                yield _entry_of(Place(number, 0, 0, line), entry, "")

    def _referred(self, reference: str) -> Iterator[Found]:
        name = reference.removeprefix("file://").strip()
        if name.rsplit(":", 1)[0].lower().endswith(PROGRAMS):
            told = "is a program: programs are not run. Save its cases as JSONL."
            self._warnings.append(f"{reference[:200]} {told}")
            return
        paths = [path for path in self._matching(name) if path not in self._opened]
        if not paths:
            why = "was read already" if self._matching(name) else "was not found"
            told = f"File not found: {reference[:200]}. Its cases are not in this dataset."
            again = f"{reference[:200]} {why}: it is read once."
            self._warnings.append(told if why == "was not found" else again)
        for path in paths:
            self._opened.add(path)
            yield from self._file(path)

    def _matching(self, name: str) -> list[str]:
        if not any(sign in name for sign in "*?"):
            found = self._bundle.find(name)
            return [found] if found else []
        folder = PurePosixPath(self._bundle.name).parent
        pattern = normal_path(f"{folder}/{name.replace('**/', '*')}")
        return sorted(path for path in self._bundle.files if pattern and fnmatchcase(path, pattern))

    def _file(self, path: str) -> Iterator[Found]:
        """The cases of a file beside the main one: their bytes are no part of the main file."""
        try:
            for found in self._cases_of(path):
                yield found._replace(place=replace(found.place, offset=0, length=0), file=path)
        except Rejected as rejected:
            named = rejected.message.removeprefix(f"{path}: ")
            raise Rejected(f"{path}: {named}", details=rejected.details) from None

    def _cases_of(self, path: str) -> Iterable[Found]:
        ending = PurePosixPath(path).suffix.lower()
        if ending == ".csv":
            return of_table(self._bundle.files[path], path, None)
        if ending in (".jsonl", ".ndjson"):
            return of_lines(self._bundle.files[path], path, None)
        if ending == ".json":
            return self._items(_json(self._bundle.text(path), path), Lines(), path)
        if ending in (".yaml", ".yml"):
            return self._items(*read_yaml(self._bundle.text(path), path), path)
        raise unsupported(ending)

    def _items(self, value: Any, lines: Lines, path: str) -> Iterator[Found]:
        at, items = case_list(value)
        if items is None or isinstance(items, str):
            self._warnings.append(f"{path} has no list of cases.")
            return
        for number, item in enumerate(items):
            line = lines.of(*at, number) if lines else None
            yield _entry_of(Place(number, 0, 0, line), item, path)


def case_list(value: Any) -> tuple[tuple[str, ...], Any]:
    """Where the cases of a document are, and they: a list or a file's name, None without them."""
    if isinstance(value, list):
        return (), value
    if isinstance(value, Mapping):
        for key in CASE_LISTS:
            if isinstance(value.get(key), list | str):
                return (key,), value[key]
    return (), None


def read_json(raw: Source, name: str) -> Any:
    return _json(bytes(raw).decode("utf-8-sig"), name)


def unsupported(ending: str) -> Rejected:
    return Rejected(
        f"Unsupported file format: '{ending}'. Supported formats: .yaml, .yml, .jsonl, .csv"
    )


def _json(text: str, name: str) -> Any:
    if len(text) > MOST_JSON:
        raise Rejected(f"{name} is longer than {MOST_JSON:,} characters: save it as JSONL.")
    try:
        return loads(text)
    except (NotJson, RecursionError) as error:
        raise Rejected(f"{name}: Invalid JSON - {error}") from None
