class A(B):
    a: int

    b: int = Field(
  alias="c")
