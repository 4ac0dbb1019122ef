/** The meaning of captures: whose they are, the transaction and the invoice they are about. */
import type { AppContext } from '../../app/context.ts'
import type { CaptureTimeline, MeaningProgress } from '../../../src-preload/contract/meaning.ts'
import type { Handlers } from '../../../src-preload/contract/routes.ts'
import type { InvoiceDetail } from '../../../src-preload/contract/invoice.ts'
import type { Network, NetworkId } from '../../../src-preload/contract/network.ts'
import type { Facts, FactsReader } from '../store/index/facts.ts'
import type { CaptureMeanings } from '../store/capture-meanings.ts'
import type { Captures, StoredCapture } from '../store/captures.ts'
import type { InvoiceTraces } from '../../invoices/store/invoice-traces.ts'
import { createAnnounce } from './announce.ts'
import { createRequester } from './requester.ts'
import { createWatcher } from './watcher.ts'
import { type Arrived, type FoundNetwork, type KnownHook, createNetworkOf } from './network-of.ts'
import { createPaid } from './paid.ts'
import type { TransactionReader, Wait } from './parts.ts'
import { createReconsider } from './reconsider.ts'
import { createMeaningRoutes } from './routes.ts'
import { type RowMeaning, isAsAtFirst, meaningOfRow } from './show.ts'
import { createUnderstand } from './understand.ts'

type MeaningDeps = Pick<AppContext, 'labelsOf' | 'now' | 'onBug' | 'wait'> & {
  readonly meanings: CaptureMeanings
  readonly invoices: InvoiceTraces
  readonly captures: Captures
  readonly facts: FactsReader
  /** Captures are classified up to this one. */
  readonly classifiedTo: () => number
  /** Webhooks of all networks, as last read. */
  readonly hooks: () => readonly KnownHook[]
  readonly reader: TransactionReader
  readonly networks: () => readonly Network[]
  /** @throws AppError NETWORK_UNKNOWN */
  readonly checkNetwork: (network: NetworkId) => unknown
  /** Of the local ledger; null where it does not have it. */
  readonly invoice: (network: NetworkId, id: string) => Promise<InvoiceDetail | null>
  /** By the settings; the sandbox is always asked. */
  readonly isOn: () => boolean
  /** What others have to say of a capture's way. */
  readonly otherMoments: (capture: number) => Promise<CaptureTimeline>
  /** More captures arrive than the cores have time for: what can wait is to wait. */
  readonly isRush: () => boolean
  readonly reindex: (ids: readonly number[]) => Promise<void>
  readonly onChanged: (ids: readonly number[]) => void
  readonly onProgress: (progress: MeaningProgress) => void
}

export type Meaning = {
  readonly handlers: Pick<Handlers, Extract<keyof Handlers, `meaning.${string}`>>
  /** Whose delivery something is that arrives now. */
  readonly networkOf: (arrived: Arrived) => FoundNetwork | null
  /** For a page of a list. */
  readonly of: (
    captures: readonly StoredCapture[],
    facts: ReadonlyMap<number, Facts>,
  ) => (capture: StoredCapture) => RowMeaning
  start(): void
  /** What waits for its time may have come to it; every second, once started. */
  tick(): void
  classified(upTo: number): void
  /** The local copy of a network's webhooks is another. */
  hooksChanged(): void
  networksChanged(): void
  settingsChanged(): void
  /** The ledger has learnt of these; null: of many. */
  invoicesChanged(network: NetworkId, ids: readonly string[] | null): void
  /** Its chain is another from now on. @param rest what else is to be forgotten of it meanwhile */
  forget(network: NetworkId, rest: () => Promise<void>): Promise<void>
  stop(): Promise<void>
}

const tickMs = 1000
const progressEveryMs = 1000
/** The ledger's own follower is at work at the same time. */
const [reportedEveryMs, reportedTries] = [25, 80]

export function createMeaning(deps: MeaningDeps): Meaning {
  const { meanings, invoices, onBug } = deps
  const stopped = new AbortController()
  const isNetwork = (id: NetworkId) => deps.networks().some((network) => network.id === id)

  const idsNow = () => deps.networks().map(({ id }) => id)
  let ids = idsNow()
  let hooks = deps.hooks()
  let byHooks = createNetworkOf(hooks)
  const networkOf = (arrived: Arrived) => {
    const found = byHooks(arrived)
    return found !== null && isNetwork(found.network) ? found : null
  }

  const announce = createAnnounce(deps)
  const changed = (ids: readonly number[]) => {
    announce.changed(ids)
    progressed()
  }
  const understand = createUnderstand({ ...deps, networkOf, isNetwork })
  const paid = createPaid({ ...deps, onChanged: announce.changed })
  const requester = createRequester({
    ...deps,
    paid,
    onUnderstood: changed,
    onProgress: progressed,
  })
  const reconsider = createReconsider({
    ...deps,
    understand,
    onChanged: changed,
    onWritten: () => requester.wake(),
  })
  const watcher = createWatcher({
    ...deps,
    understand,
    reported: createReported(invoices, deps.wait),
    onWritten(rows) {
      const told = rows.filter((row) => !isAsAtFirst(row))
      if (told.length > 0) announce.changed(told.map(({ capture }) => capture))
      requester.wake()
      progressed()
    },
  })

  function progress(): MeaningProgress {
    const { waiting, unavailable } = meanings.counts()
    const problems = meanings.waitingNetworks().map((network) => requester.problem(network))
    // While one of them is asked, it goes on.
    const isStill = problems.length > 0 && problems.every((problem) => problem !== null)
    return {
      waiting: waiting + watcher.left(),
      unavailable,
      problem: isStill ? (problems[0] ?? null) : null,
    }
  }

  let told = ''
  let telling: NodeJS.Timeout | undefined
  function progressed(): void {
    if (stopped.signal.aborted) return
    telling ??= setTimeout(() => {
      telling = undefined
      const now = progress()
      const text = JSON.stringify(now)
      if (text !== told) deps.onProgress(now)
      told = text
    }, progressEveryMs).unref()
  }

  let ticking: NodeJS.Timeout | undefined
  function tick(): void {
    try {
      requester.tick()
    } catch (error) {
      onBug(error)
    }
  }

  return {
    handlers: createMeaningRoutes({
      ...deps,
      understand,
      reconsider,
      networkOf,
      requester,
      paid,
      progress,
      signal: stopped.signal,
    }),
    networkOf,
    of(captures, facts) {
      const rows = meanings.byIds(captures.map(({ id }) => id))
      return (capture) =>
        meaningOfRow(capture, facts.get(capture.id), rows.get(capture.id), networkOf)
    },
    start() {
      announce.start()
      watcher.start()
      requester.wake()
      ticking = setInterval(tick, tickMs).unref()
    },
    tick,
    classified(upTo) {
      // The index tells of its last slices while the app ends, and its reader is closed by then.
      if (!stopped.signal.aborted) watcher.classified(upTo)
    },
    hooksChanged() {
      if (stopped.signal.aborted) return
      const now = deps.hooks()
      if (JSON.stringify(now) === JSON.stringify(hooks)) return
      hooks = now
      byHooks = createNetworkOf(hooks)
      reconsider.unknown().catch(onBug)
    },
    networksChanged() {
      // The sandbox stops as the app does, and its store is closed by then.
      if (stopped.signal.aborted) return
      const before = ids
      ids = idsNow()
      for (const id of before) {
        if (!ids.includes(id)) reconsider.withoutNetwork(id).catch(onBug)
      }
      requester.networksChanged()
      progressed()
    },
    settingsChanged() {
      requester.wake()
      progressed()
    },
    invoicesChanged: (network, ids) => paid.changed(network, ids),
    forget: (network, rest) =>
      requester.forget(network, async () => {
        await rest()
        if (!stopped.signal.aborted) await reconsider.withoutChain(network)
      }),
    async stop() {
      stopped.abort()
      clearInterval(ticking)
      clearTimeout(telling)
      reconsider.stop()
      await watcher.stop()
      await requester.stop()
      await paid.stop()
      await announce.stop()
    },
  }
}

/** Waits for the ledger to have looked at deliveries; not again where it does not move on. */
function createReported(
  invoices: Pick<InvoiceTraces, 'reportsFollowedTo'>,
  wait: Wait,
): (upTo: number, signal: AbortSignal) => Promise<void> {
  let stoodAt = -1
  return async (upTo, signal) => {
    for (let tries = 0; tries < reportedTries; tries += 1) {
      const at = invoices.reportsFollowedTo()
      if (at >= upTo || at === stoodAt) return
      await wait(reportedEveryMs, signal).catch(() => undefined)
      if (signal.aborted) return
    }
    stoodAt = invoices.reportsFollowedTo()
  }
}
