"""What boon raises. Every class is an `Error`, and the built-in exception that fits it."""


class Error(Exception):
    """The base of all."""

    def __str__(self) -> str:  # KeyError would show the message in quotes
        return str(self.args[0]) if self.args else ""


class InvalidArgument(Error, ValueError):
    """A value that can never work: a NaN, a wrong dimension, an unknown metric."""


class NotFound(Error, KeyError, FileNotFoundError):
    """An id or a file that is not there."""


class AlreadyExists(Error, ValueError):
    """An id that is in the index already."""


class Busy(Error, BlockingIOError):
    """Somebody else holds what is needed."""


class ReadOnly(Error, PermissionError):
    """A change to an index that was opened with view()."""


class Corrupted(Error, ValueError):
    """A file that is damaged, cut short or no index of boon."""


class Unsupported(Error, NotImplementedError):
    """A file of a newer boon, or an instruction set that this processor lacks."""


class IoError(Error, OSError):
    """The operating system refused: no space, no permission, a broken device."""


class OutOfMemory(Error, MemoryError):
    """Not enough memory."""


class Cancelled(Error):
    """A progress function asked to stop. What was linked until then is in the index."""


class InternalError(Error, RuntimeError):
    """A defect of boon."""
