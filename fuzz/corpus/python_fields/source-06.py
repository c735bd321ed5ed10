class A:
    a: str = """open
    b: int
