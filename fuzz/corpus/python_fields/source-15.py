class A:
    é: int
    a: int
