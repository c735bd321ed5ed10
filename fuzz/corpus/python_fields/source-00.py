class A(BaseModel):
    x: int = 1
    y: str | None = Field(default=None, alias="z")
