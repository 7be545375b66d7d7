"""Where a ZeroMQ socket listens behind a door: reached by this process, and by nobody else."""

from __future__ import annotations

import os
import sys
import tempfile

import zmq

__all__ = ["HiddenPlace"]


class HiddenPlace:
    """A local socket in a folder that only this user can enter.

    On Linux the folder is removed at once, and only this process knows the way: it reaches the
    socket by its descriptor, which needs no name that a killed process would leave behind.
    """

    def __init__(self, socket: zmq.Socket[bytes]) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="ppaurora-")
        self.folder = self._folder.name
        self.path = f"{self.folder}/door"
        self._descriptor = -1
        try:
            socket.bind(f"ipc://{self.path}")
            if sys.platform == "linux":
                self._descriptor = os.open(self.path, os.O_PATH)
                self.path = f"/proc/self/fd/{self._descriptor}"
                self._folder.cleanup()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Forget the way; harmless when repeated."""
        self._folder.cleanup()
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1
