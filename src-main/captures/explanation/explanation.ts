import type { ExplanationProgress } from '../../../src-preload/contract/explanation.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import { createBackgroundLoop } from '../../jobs/background-loop.ts'
import type { StoredCapture } from '../store/captures.ts'
import type { Facts } from '../store/index/facts.ts'
import { type RowExplanation, explanationOfRow, isUnchanged } from './facts.ts'
import { type Arrived, createNetworkOf } from './network-of.ts'
import { createPaidInvoices } from './paid-invoice.ts'
import { createCaptureReader, type CaptureReader } from './read-capture.ts'
import { createReconsider } from './reconsider.ts'
import { type ExplanationDeps, createTransactionRequests } from './requests.ts'
import { createExplanationRoutes } from './routes.ts'
import type { AppContext } from '../../app/context.ts'
import type {
  CaptureExplanations,
  ProcessedRange,
  StoredExplanation,
} from '../store/capture-explanations.ts'

/** Explains classified captures once each, newest first; the progress is on disk. */

type WatcherDeps = Pick<AppContext, 'onBug' | 'wait'> & {
  readonly meanings: Pick<CaptureExplanations, 'byIds' | 'followed' | 'write'>
  readonly captureReader: Pick<CaptureReader, 'rows'>
  readonly classifiedTo: () => number
  readonly invoices: { reportsFollowedTo(): number }
  readonly onWritten: (rows: readonly StoredExplanation[]) => void
  readonly isRush: () => boolean
}

const sliceIds = 200
/** Explaining takes a fifth of the time under load, because responses to deliveries come first. */
const restFactor = 4
const burstPauseMs = 500
const maxGaps = 50
/** The ledger records deliveries of invoices at the same time as they are explained. */
const [ledgerWaitMs, maxLedgerWaits] = [25, 80]

export function createWatcher(deps: WatcherDeps) {
  const { meanings, invoices, classifiedTo } = deps
  let isStarted = false
  let ledgerStoodAt = -1
  let followed = meanings.followed()

  /** Waits for the ledger for at most two seconds, and only once while the ledger makes no progress. */
  async function waitForLedger(upTo: number, signal: AbortSignal): Promise<void> {
    for (let waits = 0; waits < maxLedgerWaits; waits += 1) {
      const at = invoices.reportsFollowedTo()
      if (at >= upTo || at === ledgerStoodAt) return
      await deps.wait(ledgerWaitMs, signal)
    }
    ledgerStoodAt = invoices.reportsFollowedTo()
  }

  const loop = createBackgroundLoop(async (signal) => {
    for (;;) {
      const slice = nextSlice(followed, classifiedTo(), sliceIds)
      if (slice === null || signal.aborted) return
      const began = performance.now()
      await waitForLedger(slice.to, signal)
      const ids = idsOf(slice.after, slice.to)
      const explained = meanings.byIds(ids)
      const rows = await deps.captureReader.rows(ids.filter((id) => !explained.has(id)))
      meanings.write(rows, slice.followed)
      followed = slice.followed
      if (rows.length > 0) deps.onWritten(rows)
      const isBehind = nextSlice(followed, classifiedTo(), sliceIds) !== null
      const pauseMs = isBehind ? (performance.now() - began) * restFactor : 0
      await deps.wait(deps.isRush() ? burstPauseMs : pauseMs, signal)
    }
  }, deps.onBug)

  return {
    start(): void {
      isStarted = true
      loop.run()
    },
    classified: (): void => {
      if (isStarted) loop.run()
    },
    left(): number {
      const gaps = followed.gaps.reduce((sum, [after, to]) => sum + to - after, 0)
      return gaps + Math.max(0, classifiedTo() - followed.to)
    },
    stop: loop.stop,
  }
}

type Slice = {
  readonly after: number
  readonly to: number
  readonly followed: ProcessedRange
}

/** Selects the newest captures that are not explained: first recent arrivals, then gaps. */
export function nextSlice({ to, gaps }: ProcessedRange, upTo: number, size: number): Slice | null {
  if (upTo > to) {
    const after = Math.max(to, upTo - size)
    const left = after > to ? [...gaps, [to, after] as const] : gaps
    return { after, to: upTo, followed: { to: upTo, gaps: fewer(left) } }
  }
  const gap = gaps.at(-1)
  // While the index is rebuilt, captures of a gap may not be classified yet.
  if (gap === undefined || gap[1] > upTo) return null
  const [from, last] = gap
  const after = Math.max(from, last - size)
  const rest = gaps.slice(0, -1)
  const left = after > from ? [...rest, [from, after] as const] : rest
  return { after, to: last, followed: { to, gaps: left } }
}

/** Merges two gaps. The captures between them already have rows, which are not written again. */
function fewer(gaps: ProcessedRange['gaps']): ProcessedRange['gaps'] {
  const [first, second, ...rest] = gaps
  if (first === undefined || second === undefined || gaps.length <= maxGaps) return gaps
  return [[first[0], second[1]], ...rest]
}

const idsOf = (after: number, to: number): number[] =>
  Array.from({ length: to - after }, (_, index) => to - index)

export type Explanation = ReturnType<typeof createExplanation>

const progressEveryMs = 1000

export function createExplanation(deps: ExplanationDeps) {
  const { meanings, onBug } = deps
  const stopped = new AbortController()
  const networks = createKnownNetworks(deps)
  const { networkOf, isNetwork } = networks
  const announce = createAnnounce(deps)
  let lastProgress = ''
  let progressTimer: NodeJS.Timeout | undefined

  function progress(): ExplanationProgress {
    const { waiting, unavailable } = meanings.counts()
    const problems = meanings.waitingNetworks().map((network) => requests.problem(network))
    const problem = problems.includes(null) ? null : (problems[0] ?? null)
    return { waiting: waiting + watcher.left(), unavailable, problem }
  }

  function reportProgress(): void {
    progressTimer = undefined
    // An error in a timer must be handled here, because a damaged database or index would end the
    // app otherwise.
    try {
      const now = progress()
      const text = JSON.stringify(now)
      if (text !== lastProgress) deps.onProgress(now)
      lastProgress = text
    } catch (error) {
      onBug(error)
    }
  }

  /** Reports a changed progress at most once a second. */
  function progressChanged(): void {
    if (stopped.signal.aborted) return
    progressTimer ??= setTimeout(reportProgress, progressEveryMs).unref()
  }

  const changed = (ids: readonly number[]) => {
    announce.changed(ids)
    progressChanged()
  }
  const captureReader = createCaptureReader(deps, networkOf, isNetwork)
  const paidInvoices = createPaidInvoices(deps, announce.changed)
  const requests = createTransactionRequests(deps, paidInvoices.invoice, changed, progressChanged)
  const reconsider = createReconsider(meanings, captureReader, changed, requests.run)
  const watcher = createWatcher({
    ...deps,
    captureReader,
    onWritten(rows) {
      const changedRows = rows.filter((row) => !isUnchanged(row))
      if (changedRows.length > 0) announce.changed(changedRows.map(({ capture }) => capture))
      requests.run()
      progressChanged()
    },
  })

  return {
    handlers: createExplanationRoutes({
      ...deps,
      captureReader,
      reconsider,
      networkOf,
      requests,
      paidInvoices,
      progress,
      signal: stopped.signal,
    }),
    networkOf,
    of(
      captures: readonly StoredCapture[],
      facts: ReadonlyMap<number, Facts>,
    ): (capture: StoredCapture) => RowExplanation {
      const rows = meanings.byIds(captures.map(({ id }) => id))
      return (capture) =>
        explanationOfRow(capture, facts.get(capture.id), rows.get(capture.id), networkOf)
    },
    start(): void {
      announce.run()
      watcher.start()
      requests.startTicking()
    },
    /** Sends the requests that are due; runs each second automatically once started. */
    tick: requests.tick,
    classified: watcher.classified,
    hooksChanged(): void {
      if (stopped.signal.aborted || !networks.updateHooks()) return
      reconsider.unknown().catch(onBug)
    },
    networksChanged(): void {
      // The sandbox stops with the app, after the store was closed, so nothing is written.
      if (stopped.signal.aborted) return
      for (const id of networks.update()) reconsider.withoutNetwork(id).catch(onBug)
      requests.networksChanged()
      progressChanged()
    },
    settingsChanged(): void {
      requests.run()
      progressChanged()
    },
    /** Call this when the ledger has changed these invoices; null means many. */
    invoicesChanged: paidInvoices.changed,
    /** While the network's explanations are removed, `rest` deletes its other data. */
    forget: (network: NetworkId, rest: () => Promise<void>) =>
      requests.forget(network, async () => {
        await rest()
        if (!stopped.signal.aborted) await reconsider.withoutChain(network)
      }),
    async stop(): Promise<void> {
      stopped.abort()
      clearTimeout(progressTimer)
      reconsider.stop()
      await watcher.stop()
      await requests.stop()
      await paidInvoices.stop()
      await announce.stop()
    },
  }
}

/** Caches the networks and webhooks as they were last read. */
function createKnownNetworks(deps: Pick<ExplanationDeps, 'hooks' | 'networks'>) {
  const networkIds = () => deps.networks().map(({ id }) => id)
  const isNetwork = (id: NetworkId) => networkIds().includes(id)
  let ids = networkIds()
  let hooks = deps.hooks()
  let byHooks = createNetworkOf(hooks)

  function networkOf(arrived: Arrived) {
    const found = byHooks(arrived)
    return found !== null && isNetwork(found.network) ? found : null
  }

  return {
    isNetwork,
    networkOf,
    /** @returns false when no webhook has changed */
    updateHooks(): boolean {
      const now = deps.hooks()
      if (JSON.stringify(now) === JSON.stringify(hooks)) return false
      hooks = now
      byHooks = createNetworkOf(hooks)
      return true
    },
    /** @returns the networks that were removed */
    update(): NetworkId[] {
      const before = ids
      ids = networkIds()
      return before.filter((id) => !ids.includes(id))
    },
  }
}

const announceEveryMs = 200
const maxAnnounced = 1000

/**
 * Notifies the index first, so that a search finds the captures that the list shows. Captures that
 * were not reported are on disk, so that the index gets them even after a kill.
 */
function createAnnounce({ meanings, reindex, onChanged, wait, onBug }: ExplanationDeps) {
  const loop = createBackgroundLoop(async (signal) => {
    while (!signal.aborted) {
      const { ids, to } = meanings.untold(maxAnnounced)
      if (ids.length === 0) return
      await reindex(ids)
      meanings.forgetUntold(to)
      onChanged(ids)
      await wait(announceEveryMs, signal)
    }
  }, onBug)

  return {
    ...loop,
    changed: (ids: readonly number[]): void => {
      if (loop.signal.aborted) return
      meanings.noteUntold(ids)
      loop.run()
    },
  }
}
