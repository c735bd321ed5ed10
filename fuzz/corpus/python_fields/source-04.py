class A: pass
class B(A): x: int
class C(B):
    if True:
        y: int
    else: z: int
    try:
        w: int
    except: v: int
