/** Runs one move. Steps are stored first and checked before they repeat, so that a killed run can continue. */
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import type { Webhook } from '../../../src-preload/contract/webhook.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import { gatewayCodes } from '../../../src-preload/domain/error-codes.ts'
import { type JobControl, type JobEnd, type JobWork, done } from '../../jobs/job-run.ts'
import { readRefusal } from '../../jobs/refusal.ts'
import type { MoveChange, MoveRecord } from '../store/moves.ts'
import type { Room } from '../room.ts'
import { isMade, unlessAborted } from '../book.ts'
import { type Pair, level, readBoth, countUndelivered, readDrained, words } from './level.ts'

export type RunDeps = Room<'access' | 'book' | 'mirror' | 'now' | 'onBug' | 'store'> & {
  /** Moves everything that refers to the old webhook's id to the new one. May be called again after a kill. */
  readonly onMoved: (network: NetworkId, from: string, to: string) => void
}

type Next =
  | { readonly kind: 'on' }
  | { readonly kind: 'wait'; readonly ms: number; readonly problem: string | null }
  | { readonly kind: 'stop'; readonly problem: string }

const on: Next = { kind: 'on' }

/**
 * An earlier event may be on its way to the old endpoint for so long, neither delivered nor failed: the
 * sandbox's timeout is 10 s, the service's is not public.
 */
const graceMs = 15_000
const firstLookMs = 5000
const longestLookMs = 60_000

export const isUnderWay = ({ state }: Pick<MoveRecord, 'state'>) =>
  state === 'running' || state === 'rolling-back'

export function createMoveWork(
  { id }: MoveRecord,
  isResumed: boolean,
  control: JobControl,
  deps: RunDeps,
): JobWork {
  const { moves } = deps.store
  const { halt: signal, backoff } = control
  const looks = { ms: firstLookMs }
  let accepts = isResumed

  const change = (what: MoveChange) => {
    moves.change(id, what)
    control.notify()
  }

  async function next(): Promise<JobEnd | null> {
    const move = moves.get(id)
    if (move === null || !isUnderWay(move)) return done
    let found: Next
    try {
      found = await advance({ move, accepts, looks, deps, change, control })
      backoff.answered()
    } catch (error) {
      signal.throwIfAborted()
      return endOf(error)
    }
    signal.throwIfAborted()
    accepts = false
    if (found.kind === 'stop') return { state: 'paused', problem: found.problem }
    const problem = found.kind === 'wait' ? found.problem : null
    const left = moves.get(id)
    if (left !== null && isUnderWay(left) && left.problem !== problem) change({ problem })
    if (found.kind === 'wait') await control.rest(found.ms)
    return null
  }

  function endOf(error: unknown): JobEnd | null {
    if (!(error instanceof AppError)) {
      deps.onBug(error)
      return { state: 'paused', problem: words.broken(error) }
    }
    accepts = false
    const refusal = readRefusal(error)
    const isPassing = refusal.kind === 'passing' || error.code === gatewayCodes.notFound
    if (!isPassing) return { state: 'paused', problem: words.refused(refusal.message) }
    backoff.pause(refusal.message, refusal.kind === 'passing' ? refusal.retryAfterMs : 0)
    return null
  }

  return { next }
}

type Turn = {
  readonly move: MoveRecord
  readonly accepts: boolean
  readonly looks: { ms: number }
  readonly deps: RunDeps
  readonly change: (what: MoveChange) => void
  readonly control: JobControl
}

async function advance(turn: Turn): Promise<Next> {
  const { move, deps } = turn
  const signal = turn.control.halt
  const { network } = move
  const listed = await deps.book.readAnew(network, { priority: 'job', signal })
  signal.throwIfAborted()
  if (move.state === 'rolling-back') return rollBack(turn, listed)
  const found = (id: string | null) => listed.find((webhook) => webhook.id === id)
  const from = found(move.from.id)
  if (move.step !== 'delete') {
    if (from === undefined) return withoutOld(turn, listed)
    if (from.endpoint !== move.from.endpoint) {
      if (!turn.accepts) return { kind: 'stop', problem: words.oldChanged(move, from.endpoint) }
      turn.change({ fromEndpoint: from.endpoint })
    }
  }
  if (move.to.id === null) return create(turn)
  const to = found(move.to.id)
  if (to === undefined) return withoutNew(turn, listed, from)
  if (to.endpoint !== move.to.endpoint) {
    return { kind: 'stop', problem: words.newChanged(move, to.endpoint) }
  }
  return step({ ...turn, pair: { id: move.id, network, from: move.from.id, to: to.id } }, from)
}

async function create({ move, deps, change, control }: Turn): Promise<Next> {
  const { network, to, knownBefore } = move
  // A creation cannot be cancelled; the next run finds its result.
  const made = await unlessAborted(
    deps.book.create(network, to.endpoint, knownBefore),
    control.abort,
  )
  change({ toId: made.id, step: 'copy' })
  return on
}

type PairTurn = Turn & { readonly pair: Pair }

async function step(turn: PairTurn, from: Webhook | undefined): Promise<Next> {
  const { move, pair, deps, change } = turn
  switch (move.step) {
    case 'create':
    case 'copy':
      await levelNow(turn)
      change({ step: 'compare' })
      return on
    case 'compare':
      if ((await levelNow(turn)) === 0) change({ step: 'drain', levelAt: deps.now() })
      return on
    case 'drain':
      return drain(turn)
    case 'switch':
      if ((await levelNow(turn)) > 0) change({ step: 'compare', levelAt: null })
      else {
        // A move that is being rolled back must not be switched.
        turn.control.halt.throwIfAborted()
        switchOver(turn)
      }
      return on
    case 'delete':
      deps.onMoved(pair.network, pair.from, pair.to)
      if (from !== undefined) await deps.book.remove(pair.network, pair.from)
      return end(turn)
    case 'done':
      return end(turn)
  }
}

function levelNow({ pair, deps, change, control }: PairTurn): Promise<number> {
  const client = deps.access.webhooks(pair.network)
  const { book, mirror } = deps
  const { moves } = deps.store
  return level(pair, { client, book, mirror, moves, onProgress: change }, control.halt)
}

async function drain(turn: PairTurn): Promise<Next> {
  const { move, pair, deps, looks, change } = turn
  const signal = turn.control.halt
  if (move.isForced) {
    change({ step: 'switch' })
    return on
  }
  const began = deps.now()
  await readBoth(pair, deps.mirror, signal)
  await deps.book.readAnew(pair.network, { priority: 'job', signal })
  const undelivered = await countUndelivered(deps.store.moves, keysOf(turn), signal)
  change({ undelivered })
  const drained = readDrained(deps.book.find(pair.network, pair.from), undelivered)
  if (!drained.isQuiet) {
    looks.ms = Math.min(longestLookMs, looks.ms * 2)
    return { kind: 'wait', ms: looks.ms / 2, problem: drained.problem }
  }
  looks.ms = firstLookMs
  // A clock that was set back must not lengthen the wait, so the wait begins again.
  const levelAt = Math.min(move.levelAt ?? began, began)
  if (levelAt !== move.levelAt) change({ levelAt })
  const leftMs = levelAt + graceMs - began
  if (leftMs > 0) return { kind: 'wait', ms: leftMs, problem: null }
  change({ step: 'switch' })
  return on
}

function keysOf({ pair, deps }: PairTurn): { from: number; to: number } {
  const key = (id: string) => deps.store.webhooks.get(pair.network, id)?.key ?? 0
  return { from: key(pair.from), to: key(pair.to) }
}

function switchOver(turn: PairTurn): void {
  exchange(turn, 'delete')
  turn.control.notify()
}

function exchange(turn: PairTurn, step: 'create' | 'delete'): void {
  const { move, pair, deps } = turn
  const { from, to } = keysOf(turn)
  deps.store.moves.switchOver(move.id, [from, to], step)
  for (const webhook of [pair.from, pair.to]) deps.mirror.beginAnew(pair.network, webhook)
}

async function end({ move, deps, change }: Turn): Promise<Next> {
  await deps.store.moves.forgetSubjects(move.id)
  change({ step: 'done', state: 'done', problem: null, undelivered: 0, finishedAt: deps.now() })
  return on
}

/** The old webhook was deleted elsewhere: only the user knows whether the copy is complete. */
async function withoutOld(turn: Turn, listed: readonly Webhook[]): Promise<Next> {
  const { move, deps } = turn
  const to = listed.find((webhook) => webhook.id === move.to.id)
  if (to === undefined || !move.isForced) return { kind: 'stop', problem: words.oldGone(move) }
  const pair = { id: move.id, network: move.network, from: move.from.id, to: to.id }
  switchOver({ ...turn, pair })
  deps.onMoved(pair.network, pair.from, pair.to)
  return end(turn)
}

function withoutNew(turn: Turn, listed: readonly Webhook[], from: Webhook | undefined): Next {
  const { move, deps } = turn
  if (move.step === 'delete' && from === undefined) {
    // Neither resuming nor rolling back is possible.
    const problem = words.bothGone(move)
    turn.change({ step: 'done', state: 'done', problem, finishedAt: deps.now() })
    return on
  }
  if (!turn.accepts) return { kind: 'stop', problem: words.newGone(move) }
  const pair = { id: move.id, network: move.network, from: move.from.id, to: move.to.id ?? '' }
  if (move.step === 'delete') switchBack({ ...turn, pair })
  deps.store.moves.beginAnew(
    move.id,
    listed.map(({ id }) => id),
  )
  turn.control.notify()
  return on
}

function switchBack(turn: PairTurn): void {
  exchange(turn, 'create')
  turn.deps.onMoved(turn.pair.network, turn.pair.to, turn.pair.from)
}

async function rollBack(turn: Turn, listed: readonly Webhook[]): Promise<Next> {
  const { move, deps, change } = turn
  const { network, to, knownBefore } = move
  // The creation's response may have been lost.
  const made = to.id ?? listed.find((webhook) => isMade(webhook, to.endpoint, knownBefore))?.id
  if (made !== undefined) await deps.book.remove(network, made)
  await deps.store.moves.forgetSubjects(move.id)
  change({ state: 'rolled-back', problem: null, undelivered: 0, finishedAt: deps.now() })
  return on
}
