class A(((((((((
    a: int
