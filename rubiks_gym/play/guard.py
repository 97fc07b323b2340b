"""Who may ask, and what every answer says of itself: nobody but pages of this server, in a browser on this machine."""

from collections.abc import Awaitable, Callable
from urllib.parse import SplitResult, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rubiks_gym.play.answers import Json

NAMES = {"localhost", "127.0.0.1", "::1"}  # what this machine is called by a browser that means it

HEADERS = {
    "Content-Security-Policy": "; ".join(
        [
            "default-src 'none'",
            "script-src 'self' 'wasm-unsafe-eval'",
            "worker-src 'self'",
            "style-src 'self'",
            "img-src 'self' data:",
            "connect-src 'self'",
            "manifest-src 'self'",
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'none'",
        ]
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


class Guard:
    """Refuses requests that name another host (DNS rebinding) or come from another site's page, and adds the headers.

    The port is left open: whoever forwards one of his own to this server reaches it under another number. `close` ends the work
    that is going on.
    """

    def __init__(self, app: ASGIApp, close: Callable[[], Awaitable[None]]) -> None:
        self.app, self.close = app, close

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return  # there are no websockets

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        fault = refusal(scope["method"], scope["path"], Headers(scope=scope))
        app = self.app if fault is None else Json({"error": fault}, 403)
        await app(scope, receive, send_with_headers)


def refusal(method: str, path: str, headers: Headers) -> str | None:
    """Why a request is refused; None if it is not."""
    host, origin, site = headers.get("host", ""), headers.get("origin"), headers.get("sec-fetch-site")
    here, there = _site(f"http://{host}"), _site(origin or "")
    if here is None or here.hostname not in NAMES:
        return f"this server is for localhost alone, not for {host[:100]!r}"
    if origin is not None and (there is None or (there.scheme, there.netloc) != ("http", host)):
        return f"requests come from pages of this server alone, not from {origin[:100]!r}"
    a_visit = method == "GET" and not path.startswith("/api/")  # a link from elsewhere may lead to the page
    if site not in (None, "same-origin", "none") and not a_visit:
        return f"requests come from pages of this server alone, this one is {site[:20]!r}"
    return None


def _site(url: str) -> SplitResult | None:
    """A URL of a scheme and a host and nothing else; None if it is not one."""
    try:
        parts = urlsplit(url)
        bare = url == f"{parts.scheme}://{parts.netloc}" and "@" not in url and (parts.port is None or parts.port > 0)
    except ValueError:
        return None
    return parts if bare else None
