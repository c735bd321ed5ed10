class A:\
    a: int
    b: \
      int
    lambda: 1
    c :int
    d:int
