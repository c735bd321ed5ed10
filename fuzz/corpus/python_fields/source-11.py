class (
