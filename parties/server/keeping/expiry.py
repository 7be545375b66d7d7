"""Expiry: uploads that never came, that a revoked key made, or that are old are deleted.

A disk that fails one study keeps nothing from being deleted of another one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ppaurora.parties.errors import DiskFault
from ppaurora.parties.server.keeping.key_watch import KeyWatch
from ppaurora.parties.server.keeping.store import Store
from ppaurora.parties.server.watching.clock import Clock
from ppaurora.parties.server.watching.logs import LogLevel, log, log_often
from ppaurora.parties.study.study import Study


def expire(
    studies: Iterable[Study],
    store: Store,
    keys: KeyWatch,
    clock: Clock,
    busy: Callable[[Study], bool],
) -> None:
    """Delete that of these studies, but nothing that is computed on now.

    Before that a halt is written that the disk has not taken yet.
    """
    store.halts.write_pending()
    for study in studies:
        try:
            _expire(study, store, keys, clock, busy(study))
        except DiskFault as error:
            log_often("disk fault", of=study.id, level=LogLevel.ERROR, error=str(error))


def _expire(study: Study, store: Store, keys: KeyWatch, clock: Clock, busy: bool) -> None:
    store.drop_unsent(study)
    if busy:
        return
    keys.set_aside(study, store)
    if clock.believed(study.hash) and store.expire(study, clock.now()):
        log("retention time over", study=study.id)
