class A:
  a: int
 b: int
   c: int
