class AxolotlInputConfig(ModelConfig, BaseModel):
    base: str
class ModelConfig(Deep):
    model: str
class Deep(BaseModel):
    deep: str
class Nested(BaseModel):
    nested: str
class AxolotlConfigWCapabilities(AxolotlInputConfig):
    more: str
