"""The README as the package's page shows it: without pictures and links that only a checkout can follow."""

import re
from pathlib import Path

from hatchling.metadata.plugin.interface import MetadataHookInterface

_PICTURE = r"!\[[^\]]*\]\((?!https://)[^)]*\)"
_PICTURES_ALONE = re.compile(rf"^\|? *(?:{_PICTURE}[ |]*)+\n(?:\|[-|]+\n)?", re.MULTILINE)
_LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\]]*\])*)\]\((?!https://)[^)]*\)")
_MARK = re.compile(r"^<!--.*-->\n", re.MULTILINE)


def readme(text: str) -> str:
    """The text with its relative pictures left out and its relative links as their words."""
    text = _LINK.sub(r"\1", _MARK.sub("", _PICTURES_ALONE.sub("", text)))
    return re.sub(r"\n{3,}", "\n\n", text)


class Readme(MetadataHookInterface):
    """What pyproject.toml calls dynamic."""

    def update(self, metadata: dict) -> None:
        """Set the long description."""
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": readme(text)}
