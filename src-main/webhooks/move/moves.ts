import type { Handlers } from '../../../src-preload/contract/routes.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import type { WebhookMove, Webhook } from '../../../src-preload/contract/webhook.ts'
import { AppError, bridgeCodes, webhookCodes } from '../../../src-preload/domain/app-error.ts'
import type { Room } from '../room.ts'
import type { MoveChange, MoveRecord } from '../store/moves.ts'
import { isNotFound } from '../../chain/access.ts'
import { isDiskFull } from '../../database/database.ts'
import { type JobControl, type JobEnd, type JobWork, done, paused } from '../../jobs/job-run.ts'
import { readRefusal } from '../../jobs/refusal.ts'
import { isMade, unlessAborted } from '../book.ts'
import {
  type Pair,
  levelSubscriptions,
  readPair,
  countUndelivered,
  whyNotDrained,
  describeDifference,
} from './level.ts'

/**
 * Runs one move. Steps are stored before they run and verified before they repeat, so that a killed
 * run can continue.
 */

type RunDeps = Room<'access' | 'book' | 'mirror' | 'now' | 'onBug' | 'store'> & {
  /** Moves all references to the old webhook's id to the new one. May be called again after a kill. */
  readonly onMoved: (network: NetworkId, from: string, to: string) => void
}

/**
 * For this time an earlier event may be on its way to the old endpoint, neither delivered nor
 * failed: the sandbox's timeout is 10 s, the service's is not public.
 */
const graceMs = 15_000
const firstWaitMs = 5000
const longestWaitMs = 60_000

const isUnderWay = ({ state }: Pick<MoveRecord, 'state'>) =>
  state === 'running' || state === 'rolling-back'

/** The result of a step: the next step at once (null), the next step after a wait, or the end of the run. */
type Next = JobEnd | { readonly waitMs: number; readonly problem: string | null } | null

const pairOf = ({ id, network, from, to }: MoveRecord): Pair => ({
  id,
  network,
  from: from.id,
  to: to.id ?? '',
})

function createMoveWork(
  { id, network }: MoveRecord,
  isResumed: boolean,
  control: JobControl,
  deps: RunDeps,
): JobWork {
  const { book, now, store } = deps
  const { moves } = store
  const { halt: signal, backoff } = control
  /** A resumed move accepts changes that were made elsewhere. */
  let accepts = isResumed

  function change(fields: MoveChange): null {
    moves.change(id, fields)
    control.notify()
    return null
  }

  const steps = createMoveSteps(signal, deps, change)

  async function next(): Promise<JobEnd | null> {
    const move = moves.get(id)
    if (move === null || !isUnderWay(move)) return done
    let found: Next
    try {
      found = await advance(move)
      backoff.answered()
    } catch (error) {
      signal.throwIfAborted()
      return endOf(error)
    }
    signal.throwIfAborted()
    accepts = false
    if (found !== null && 'state' in found) return found
    const problem = found?.problem ?? null
    const left = moves.get(id)
    if (left !== null && isUnderWay(left) && left.problem !== problem) change({ problem })
    if (found !== null) await control.rest(found.waitMs)
    return null
  }

  function endOf(error: unknown): JobEnd | null {
    if (isDiskFull(error)) throw error
    if (!(error instanceof AppError)) {
      deps.onBug(error)
      return paused(describeDifference.broken(error))
    }
    accepts = false
    const refusal = readRefusal(error)
    if (refusal.kind === 'passing') throw error
    if (!isNotFound(error)) return paused(describeDifference.refused(refusal.message))
    backoff.pause(refusal.message, 0)
    return null
  }

  async function advance(move: MoveRecord): Promise<Next> {
    const listed = await book.readAnew(network, { priority: 'job', signal })
    signal.throwIfAborted()
    if (move.state === 'rolling-back') return steps.rollBack(move, listed)
    const from = listed.find((webhook) => webhook.id === move.from.id)
    const to = listed.find((webhook) => webhook.id === move.to.id)
    if (move.step !== 'delete') {
      // Only the user knows whether the copy of a webhook that was deleted elsewhere is complete.
      if (from === undefined && (to === undefined || !move.isForced))
        return paused(describeDifference.oldGone(move))
      if (from === undefined) return steps.replaceOld(move)
      if (from.endpoint !== move.from.endpoint) {
        if (!accepts) return paused(describeDifference.oldChanged(move, from.endpoint))
        change({ fromEndpoint: from.endpoint })
      }
    }
    if (move.to.id === null) {
      // A creation cannot be cancelled; the next run finds its result.
      const creation = book.create(network, move.to.endpoint, move.knownBefore)
      const made = await unlessAborted(creation, control.abort)
      return change({ toId: made.id, step: 'copy' })
    }
    if (to === undefined) return withoutNew(move, listed, from)
    if (to.endpoint !== move.to.endpoint)
      return paused(describeDifference.newChanged(move, to.endpoint))
    return steps.run(move, from)
  }

  function withoutNew(move: MoveRecord, listed: readonly Webhook[], from: Webhook | undefined) {
    if (move.step === 'delete' && from === undefined) {
      // The move can neither be resumed nor rolled back.
      const problem = describeDifference.bothGone(move)
      return change({ step: 'done', state: 'done', problem, finishedAt: now() })
    }
    if (!accepts) return paused(describeDifference.newGone(move))
    if (move.step === 'delete') {
      steps.exchange(pairOf(move), 'create')
      deps.onMoved(network, move.to.id ?? '', move.from.id)
    }
    moves.beginAnew(id, listed)
    return change({})
  }

  return { next }
}

/** The steps of a move between two webhooks that are unchanged since the move's last step. */
function createMoveSteps(signal: AbortSignal, deps: RunDeps, change: (fields: MoveChange) => null) {
  const { book, mirror, now, store } = deps
  const { moves } = store
  let waitMs = firstWaitMs

  async function run(move: MoveRecord, from: Webhook | undefined): Promise<Next> {
    const pair = pairOf(move)
    const levelNow = () => levelSubscriptions(pair, deps, change, signal)
    switch (move.step) {
      case 'create':
      case 'copy':
        await levelNow()
        return change({ step: 'compare' })
      case 'compare':
        return (await levelNow()) === 0 ? change({ step: 'drain', levelAt: now() }) : null
      case 'drain':
        return move.isForced ? change({ step: 'switch' }) : drain(move, pair)
      case 'switch':
        if ((await levelNow()) > 0) return change({ step: 'compare', levelAt: null })
        // A move that is being rolled back must not be switched.
        signal.throwIfAborted()
        return exchange(pair, 'delete')
      case 'delete':
        deps.onMoved(pair.network, pair.from, pair.to)
        if (from !== undefined) await book.remove(pair.network, pair.from)
        return end(move)
      case 'done':
        return end(move)
    }
  }

  async function drain(move: MoveRecord, pair: Pair): Promise<Next> {
    const began = now()
    await readPair(pair, mirror, signal)
    await book.readAnew(pair.network, { priority: 'job', signal })
    const undelivered = await countUndelivered(moves, keysOf(pair), signal)
    change({ undelivered })
    const problem = whyNotDrained(book.find(pair.network, pair.from), undelivered)
    if (problem !== null) {
      const next = { waitMs, problem }
      waitMs = Math.min(longestWaitMs, waitMs * 2)
      return next
    }
    waitMs = firstWaitMs
    // The wait starts again if the clock was set back, which would lengthen it.
    const levelAt = Math.min(move.levelAt ?? began, began)
    if (levelAt !== move.levelAt) change({ levelAt })
    const leftMs = levelAt + graceMs - began
    return leftMs > 0 ? { waitMs: leftMs, problem: null } : change({ step: 'switch' })
  }

  function keysOf({ network, from, to }: Pair): { from: number; to: number } {
    const key = (webhook: string) => store.webhooks.get(network, webhook)?.key ?? 0
    return { from: key(from), to: key(to) }
  }

  function exchange(pair: Pair, step: 'create' | 'delete'): null {
    const { from, to } = keysOf(pair)
    moves.switchOver(pair.id, [from, to], step)
    for (const webhook of [pair.from, pair.to]) mirror.beginAnew(pair.network, webhook)
    return change({})
  }

  async function end({ id }: MoveRecord): Promise<null> {
    await moves.forgetSubjects(id)
    const ended = { step: 'done', state: 'done', problem: null, undelivered: 0 } as const
    return change({ ...ended, finishedAt: now() })
  }

  async function rollBack(move: MoveRecord, listed: readonly Webhook[]) {
    const { id, network, to, knownBefore } = move
    // The creation's response may have been lost.
    const made = to.id ?? listed.find((webhook) => isMade(webhook, to.endpoint, knownBefore))?.id
    if (made !== undefined) await book.remove(network, made)
    await moves.forgetSubjects(id)
    return change({ state: 'rolled-back', problem: null, undelivered: 0, finishedAt: now() })
  }

  return {
    run,
    rollBack,
    exchange,
    replaceOld(move: MoveRecord): Promise<null> {
      const pair = pairOf(move)
      exchange(pair, 'delete')
      deps.onMoved(pair.network, pair.from, pair.to)
      return end(move)
    },
  }
}

export type MovesPart = ReturnType<typeof createMovesPart>

export function createMovesPart(
  deps: RunDeps &
    Room<'jobs'> & { readonly refuseWhileChanging: (network: NetworkId, webhook: string) => void },
) {
  const { book } = deps
  const { moves } = deps.store
  const resumed = new Set<number>()
  const jobs = deps.jobs.add('move', {
    noun: 'move',
    unknownCode: webhookCodes.moveUnknown,
    table: moves,
    items: { orphans: () => [], removeSome: moves.removeSubjectsOf },
    work: (move: MoveRecord, control) =>
      createMoveWork(move, resumed.delete(move.id), control, deps),
    left: () => null,
    show: ({ knownBefore, levelAt, isForced, rate, secondsLeft, ...move }) => move,
    isActive: isUnderWay,
  })

  function refuse(network: NetworkId, webhook: string): void {
    const move = moves
      .open()
      .find((each) => each.network === network && [each.from.id, each.to.id].includes(webhook))
    if (move === undefined) return
    throw new AppError(
      webhookCodes.moveUnderWay,
      `Webhook ${webhook} is being moved from ${move.from.endpoint} to ${move.to.endpoint}. Wait for the move to end, or roll it back.`,
    )
  }

  function goOn(id: number, change: MoveChange): WebhookMove {
    moves.change(id, change)
    jobs.notify(id)
    jobs.restart(id).catch(deps.onBug)
    return jobs.get(id)
  }

  return {
    refuse,
    handlers: {
      async 'move.start'({ network, id, endpoint }) {
        const listed = await book.readAnew(network)
        const from = book.find(network, id)
        refuse(network, id)
        // A running change may subscribe after the last comparison, which would be lost.
        deps.refuseWhileChanging(network, id)
        if (from.endpoint === endpoint) throw alreadyThere(endpoint)
        const move = moves.add({
          network,
          fromId: id,
          fromEndpoint: from.endpoint,
          toEndpoint: endpoint,
          total: from.accounts,
          knownBefore: listed.map((webhook) => webhook.id),
          createdAt: deps.now(),
        })
        return jobs.begin(move)
      },
      'move.resume'({ id }) {
        const { state } = jobs.find(id)
        if (state === 'done' || state === 'rolled-back') throw notNow('The move has already ended.')
        const next = state === 'rolling-back' ? state : 'running'
        resumed.add(id)
        return goOn(id, { state: next, problem: null })
      },
      'move.rollBack'({ id }) {
        const { state, step } = jobs.find(id)
        if (state === 'rolling-back') return goOn(id, { problem: null })
        if (state === 'done' || state === 'rolled-back') throw notNow('The move has already ended.')
        if (step === 'delete') throw notNow('The old webhook is being deleted.')
        return goOn(id, { state: 'rolling-back', problem: null })
      },
      'move.finish'({ id }) {
        const { state, to } = jobs.find(id)
        if (state !== 'running' && state !== 'paused')
          throw notNow('The move has ended or is being rolled back.')
        if (to.id === null) throw notNow('The new webhook does not exist yet.')
        return goOn(id, { state: 'running', isForced: true, problem: null })
      },
    } satisfies Partial<Handlers>,
    forget: (network: NetworkId) => jobs.removeAll({ network }),
  }
}

function notNow(why: string): AppError {
  return new AppError(
    webhookCodes.moveNotNow,
    `This action is not possible at the current stage of the move. ${why}`,
  )
}

const alreadyThere = (endpoint: string): AppError =>
  new AppError(bridgeCodes.invalidInput, `The webhook already delivers to ${endpoint}.`)
