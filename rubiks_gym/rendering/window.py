"""A window for render_mode="human", through pygame-ce."""

import os
from typing import Any

import numpy as np
from gymnasium.error import DependencyNotInstalled


def _pygame() -> Any:
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    try:
        import pygame
    except ImportError as error:
        raise DependencyNotInstalled('render_mode="human" needs pygame-ce: pip install "rubiks-gym[render]"') from error
    return pygame


class Window:
    """Shows frames; opens at the first one. Copies and pickles of a Window start unopened.

    SDL has one display per process, so windows of several environments share it: none of them holds
    on to the surface, and each takes or reopens the display when it shows a frame.
    """

    def __init__(self, title: str = "rubiks_gym") -> None:
        self.title = title
        self._clock: Any = None  # also marks that this window has opened the display
        self._dismissed = False

    @property
    def is_open(self) -> bool:
        """Whether this window has shown a frame and has not been closed since."""
        return self._clock is not None

    def show(self, frame: np.ndarray, fps: int) -> None:
        """Draw `frame` [H, W, 3] uint8, then wait so that frames follow at `fps` (0: do not wait).

        After the user has closed the window this does nothing, until close() allows it to open again.
        """
        if frame.ndim != 3 or frame.shape[2] != 3 or frame.dtype != np.uint8:
            raise ValueError(f"frame must be uint8 [H, W, 3], got {frame.dtype} {list(frame.shape)}")
        if self._dismissed:
            return
        pygame = _pygame()
        if self._clock is None:
            self._clock = pygame.time.Clock()
        size = (frame.shape[1], frame.shape[0])
        pygame.display.init()
        surface = pygame.display.get_surface()
        if surface is None or surface.get_size() != size:
            surface = pygame.display.set_mode(size)
        pygame.display.set_caption(self.title)
        surface.blit(pygame.image.frombuffer(np.ascontiguousarray(frame).tobytes(), size, "RGB"), (0, 0))
        pygame.display.flip()
        if any(event.type == pygame.QUIT for event in pygame.event.get()):
            self.close()
            self._dismissed = True
        else:
            self._clock.tick(fps)

    def close(self) -> None:
        """Close the window if it is open; calling it again is harmless."""
        if self._clock is not None:
            _pygame().display.quit()
        self._clock = None
        self._dismissed = False

    def __getstate__(self) -> dict[str, Any]:
        return {"title": self.title, "_clock": None, "_dismissed": False}
