"""What runs in a browser: the pages of a survey. The one door to Starlette and Uvicorn."""

from privet.errors import InputError

try:
    import starlette as _  # noqa: F401
    import uvicorn as _uvicorn  # noqa: F401
except ImportError:
    _message = "This needs Starlette and Uvicorn, which are not installed."
    raise InputError(_message, hint="pip install '.[web]' in the privet folder.") from None
