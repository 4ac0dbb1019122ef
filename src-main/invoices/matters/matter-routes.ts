/** What needs a person's decision: listed, noted, handled, opened again. */
import { setImmediate as breathe } from 'node:timers/promises'
import type { Handlers } from '../../../src-preload/contract/routes.ts'
import type { Matter } from '../../../src-preload/contract/matter.ts'
import { matterCodes } from '../../../src-preload/domain/error-codes.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import type { InvoiceStore } from '../store/invoice-store.ts'
import type { StoredMatter } from '../store/matters.ts'
import { readListText } from '../../ton/list-text.ts'
import { matterWords } from '../judge/advise.ts'
import type { GatewayClock } from '../judge/gateway-clock.ts'
import type { LocalJudge } from '../judge/reconciler.ts'
import type { Ledger } from '../parts.ts'
import type { MatterView } from './matter-view.ts'

type MatterRoutesDeps = {
  readonly store: Pick<InvoiceStore, 'transaction' | 'matters'>
  readonly ledger: Pick<Ledger, 'addEvent'>
  readonly reconciler: Pick<LocalJudge, 'weigh'>
  readonly view: MatterView
  readonly clock: GatewayClock
  readonly onChanged: (network: NetworkId) => void
}

type Routes = Pick<Handlers, Extract<keyof Handlers, `matter.${string}`>>

/** Rows written between two breaths. */
const slice = 100

export function createMatterRoutes(deps: MatterRoutesDeps): Routes {
  const { store, ledger, reconciler, view, clock } = deps
  const { matters } = store

  function write(matter: StoredMatter, isHandled: boolean): boolean {
    if (matter.closedAt !== null || (matter.handled !== null) === isHandled) return false
    const { network, key, amount, state, kind, invoiceKey, note } = matter
    const at = clock.now(network)
    const handled = isHandled ? { at, amount, state } : null
    matters.update(key, { ...matter, handled })
    if (invoiceKey !== null) {
      ledger.addEvent(invoiceKey, {
        at,
        source: 'person',
        kind: isHandled ? 'handled' : 'reopened',
        detail: { matter: matterWords(kind), note: note === '' ? null : note },
      })
    }
    return true
  }

  async function writeAll(
    network: NetworkId,
    keys: readonly number[],
    isHandled: boolean,
  ): Promise<number> {
    let written = 0
    const distinct = [...new Set(keys)]
    for (let start = 0; start < distinct.length; start += slice) {
      store.transaction(() => {
        const changed = distinct
          .slice(start, start + slice)
          .flatMap((key) => matters.get(network, key) ?? [])
          .filter((matter) => write(matter, isHandled))
        written += changed.length
        reconciler.weigh(network, changed)
      })
      await breathe()
    }
    if (written > 0) deps.onChanged(network)
    return written
  }

  function one(matter: StoredMatter): Matter {
    const [shown] = view.all(matter.network, [matter])
    if (shown === undefined) throw unknownMatter()
    return shown
  }

  return {
    'matter.page'({ network, kind, handled, text, offset, limit }) {
      const sought = text.trim() === '' ? null : readListText(text)
      const asked = { network, kind, handled, text: sought }
      return {
        total: matters.count(asked),
        byKind: matters.byKind(network),
        matters: view.all(network, matters.page(asked, { offset, limit })),
      }
    },
    'matter.get': ({ network, key }) => one(getMatter(matters, network, key)),
    'matter.setNote'({ network, key, note }) {
      const found = getMatter(matters, network, key)
      matters.setNote(key, note.trim())
      deps.onChanged(network)
      return one({ ...found, note: note.trim() })
    },
    async 'matter.handle'({ network, keys }) {
      return { handled: await writeAll(network, keys, true) }
    },
    async 'matter.reopen'({ network, keys }) {
      return { reopened: await writeAll(network, keys, false) }
    },
  }
}

/** @throws AppError MATTER_UNKNOWN */
export function getMatter(
  matters: InvoiceStore['matters'],
  network: NetworkId,
  key: number,
): StoredMatter {
  const found = matters.get(network, key)
  if (found === null) throw unknownMatter()
  return found
}

function unknownMatter(): AppError {
  return new AppError(matterCodes.unknown, 'This is not among what needs attention any more.')
}
