"""The icons of lucide, out of an archive whose index is read once a process, not once an icon."""

from functools import cache, lru_cache
from importlib.resources import files
from io import BytesIO
from xml.etree import ElementTree
from zipfile import ZipFile

from django.utils.safestring import SafeString


@lru_cache(maxsize=512)
def icon_svg(name: str, size: int, label: str) -> SafeString:
    """An SVG element, silent for screen readers unless it says something by itself."""
    svg = ElementTree.fromstring(_archive().read(f"{name}.svg"))  # noqa: S314 - a dependency's own
    for node in svg.iter():
        node.tag = node.tag.rpartition("}")[2]  # inside of HTML no namespace is written
    spoken = {"role": "img", "aria-label": label} if label else {"aria-hidden": "true"}
    svg.attrib |= {"width": str(size), "height": str(size), **spoken}
    return SafeString(ElementTree.tostring(svg, encoding="unicode"))


@cache
def _archive() -> ZipFile:
    return ZipFile(BytesIO(files("lucide").joinpath("lucide.zip").read_bytes()))
