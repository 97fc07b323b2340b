"""Text, pictures and windows for the puzzles: import the module you need (ansi, image, window).
Only those modules load Pillow or pygame, and window does so when it first shows a frame."""
