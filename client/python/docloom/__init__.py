"""Client of the Docloom server."""

from . import models
from .client import Client
from .http import ApiError

__all__ = ["ApiError", "Client", "models"]
