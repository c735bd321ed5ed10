class A:
    a: 
    b:
    c: # d
