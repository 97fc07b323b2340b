"""How shares and times are written."""


def percent(share: float) -> str:
    """A share of 0..1 with as many digits as it takes: only 1 is "100%" and only 0 is "0%", and 0.9998 is "99.98%"."""
    if share in (0, 1):
        return f"{share:.0%}"
    digits = 1
    while float(f"{100 * share:.{digits}f}") in (0, 100) and digits < 15:
        digits += 1
    return f"{100 * share:.{digits}f}%"


def duration(seconds: float) -> str:
    """Seconds as H:MM:SS."""
    whole = round(seconds)
    return f"{whole // 3600}:{whole // 60 % 60:02d}:{whole % 60:02d}"
