class A(alias="x"):
    a: int = Field(alias="b", other=["c"], alias = 'd')
    e: int = f(g(alias="h"), "i")
