"""Answers in JSON, and what a request says in JSON."""

import asyncio
import json
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from rubiks_gym.play.asked import parse_json
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
        return parse_json(body, limits)
    except ValueError as fault:
        raise HTTPException(400, str(fault)) from None


async def _read(request: Request, most: int) -> bytes:
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > most:
            raise HTTPException(413, f"a request has at most {most:,} bytes")
    return bytes(body)
