"""Answers in JSON, and what a request says in JSON."""

import asyncio
import json
import math
import re
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from rubiks_gym.play.limits import Limits

_BODY_SECONDS = 10.0  # for a request to come in


class Json(Response):
    """An answer in JSON, in plain ASCII: texts of a request come back in errors, and need not be proper Unicode."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        """As bytes."""
        return json.dumps(content, allow_nan=False, separators=(",", ":")).encode("ascii")


async def read_json(request: Request, limits: Limits) -> dict[str, Any]:
    """The object that a request holds; 400 and the like, with the reason, if it holds none."""
    kind = request.headers.get("content-type", "").split(";")[0].strip().lower()
    if kind != "application/json":
        raise HTTPException(415, f"a request must be application/json, got {kind[:50]!r}")
    try:
        body = await asyncio.wait_for(_read(request, limits.body), _BODY_SECONDS)
    except ClientDisconnect:
        raise HTTPException(400, "the request was cut short") from None
    except asyncio.TimeoutError:
        raise HTTPException(408, f"the request did not come in within {_BODY_SECONDS:g} seconds") from None
    try:
        text = body.decode()
        if _depth(text) > limits.depth:
            raise ValueError(f"brackets within brackets, more than {limits.depth} deep")
        found = json.loads(text, parse_int=_whole, parse_float=_finite, parse_constant=_finite)
    except (ValueError, RecursionError) as error:
        raise HTTPException(400, f"the request is not JSON as it should be: {error}") from None
    if not isinstance(found, dict):
        raise HTTPException(400, f"a request must be a JSON object, got {type(found).__name__}")
    return found


async def _read(request: Request, most: int) -> bytes:
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > most:
            raise HTTPException(413, f"a request has at most {most:,} bytes")
    return bytes(body)


def _depth(text: str) -> int:
    """How deep brackets are within brackets, outside strings."""
    deep = deepest = 0
    for bracket in re.findall(r"[\[\]{}]", re.sub(r'"(?:[^"\\]|\\.)*"', "", text, flags=re.DOTALL)):
        deep += 1 if bracket in "[{" else -1
        deepest = max(deepest, deep)
    return deepest


def _whole(digits: str) -> int:
    if len(digits) > 20:
        raise ValueError(f"a number of {len(digits)} digits")
    return int(digits)


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text[:20]} is not a finite number")
    return value
