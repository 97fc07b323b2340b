"""Any 3x3x3: symmetric look-up tables learnt from walks and from their own searches; see README.md."""
