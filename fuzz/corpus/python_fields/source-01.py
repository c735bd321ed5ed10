class A(B, C[int], metaclass=M):
    """Words: not a field
    also: not
    """
    a: int
    # b: int
    _c: int = 3
    d: ClassVar[int] = 3
    def f(self, e: int):
        g: int = 1
    h: dict[str, int] = {"i": 1, "j: k": 2}
