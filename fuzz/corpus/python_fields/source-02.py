class A(
    B,
    C,
):
    a: Annotated[list[str], MinLen(1)] = Field(
        default=None,
        validation_alias=AliasChoices("a1", "a2"),
        description="b: c",
    )
