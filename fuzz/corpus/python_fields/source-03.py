class A:
	a: int
	class B:
		b: int
	c: int
x: int = 1
def f():
    class D(A):
        d: int
    e: int = 2
