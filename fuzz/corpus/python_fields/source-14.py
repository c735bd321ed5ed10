@decorator(x="class B:")
class A:
    @validator("a")
    def f(cls, v): return v
    a: Literal["x: y", 'z'] = "x"
