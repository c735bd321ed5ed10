class A:
    a: str = r"\" b: c"
    b: str = f'{x!r:>{y}}' "more"
    c: str = "open
    d: int
