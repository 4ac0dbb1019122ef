/** Moves of webhooks to other endpoints: begun, gone on with after a start, finished, rolled back. */
import type { Handlers } from '../../../src-preload/contract/routes.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import type { WebhookMove } from '../../../src-preload/contract/webhook.ts'
import { webhookCodes } from '../../../src-preload/domain/error-codes.ts'
import { AppError, bridgeCodes } from '../../../src-preload/domain/app-error.ts'
import { createChangeNotifier } from '../../jobs/change-notifier.ts'
import type { MoveChange, MoveRecord } from '../store/moves.ts'
import { type RunDeps, runMove } from './move-run.ts'

type MovesDeps = Omit<RunDeps, 'onChanged'> & {
  /** @throws AppError CHANGE_NOT_NOW */
  readonly refuseWhileChanging: (network: NetworkId, webhook: string) => void
  readonly emit: (move: WebhookMove) => void
}

export type MovesPart = {
  readonly handlers: Pick<Handlers, Extract<keyof Handlers, `move.${string}`>>
  /** @throws AppError WEBHOOK_MOVE_UNDER_WAY when the webhook is part of a move that is not over */
  refuse(network: NetworkId, webhook: string): void
  /** Goes on with those that ran when the app ended. */
  start(): void
  /** Ends what runs, to be gone on with. */
  stop(): Promise<void>
  forget(network: NetworkId): Promise<void>
}

type Run = { readonly abort: AbortController; readonly ended: Promise<void> }

/** What cannot be broken off, as a creation, may take so long to be answered. */
const endGraceMs = 1000

export function createMovesPart(deps: MovesDeps): MovesPart {
  const { moves, book } = deps
  const runs = new Map<number, Run>()
  let isStopped = false
  const notifier = createChangeNotifier({
    ...deps,
    running: () => [],
    emit(ids) {
      for (const id of ids) {
        const move = moves.get(id)
        if (move !== null) deps.emit(toMove(move))
      }
    },
  })
  const onChanged = (id: number) => notifier.tell(id)

  /** In the place of a run that may still wait for something. */
  function run(id: number, isResumed = false): void {
    if (isStopped) return
    const before = runs.get(id)
    before?.abort.abort()
    const abort = new AbortController()
    const ended = (before?.ended ?? Promise.resolve())
      .then(() => runMove(id, isResumed, { ...deps, onChanged }, abort.signal))
      .catch(deps.onBug)
      .finally(() => {
        if (runs.get(id)?.abort === abort) runs.delete(id)
      })
    runs.set(id, { abort, ended })
  }

  function find(id: number): MoveRecord {
    const move = moves.get(id)
    if (move !== null) return move
    throw new AppError(webhookCodes.moveUnknown, 'There is no such move.')
  }

  function refuse(network: NetworkId, webhook: string): void {
    const move = moves
      .open()
      .find((each) => each.network === network && [each.from.id, each.to.id].includes(webhook))
    if (move === undefined) return
    throw new AppError(
      webhookCodes.moveUnderWay,
      `Webhook ${webhook} is part of a move from ${move.from.endpoint} to ${move.to.endpoint}. Let that end first, or roll it back.`,
    )
  }

  /** Written down, then gone on with in the background. */
  function goOn(id: number, change: MoveChange, isResumed = false): WebhookMove {
    moves.change(id, change)
    onChanged(id)
    run(id, isResumed)
    return toMove(find(id))
  }

  return {
    refuse,
    handlers: {
      async 'move.start'({ network, id, endpoint }) {
        const listed = await book.readAnew(network)
        const from = book.find(network, id)
        refuse(network, id)
        // What it subscribes between the last comparison and the deletion would be lost.
        deps.refuseWhileChanging(network, id)
        if (from.endpoint === endpoint) throw alreadyThere(endpoint)
        const move = moves.add({
          network,
          from: { id, endpoint: from.endpoint },
          endpoint,
          knownBefore: listed.map((webhook) => webhook.id),
          createdAt: deps.now(),
        })
        return goOn(move, { total: from.accounts })
      },
      'move.list': ({ network }) => moves.list(network).map(toMove),
      'move.resume'({ id }) {
        const { state } = find(id)
        if (state === 'done' || state === 'rolled-back') throw notNow('It is over.')
        const next = state === 'rolling-back' ? state : 'running'
        return goOn(id, { state: next, problem: null }, true)
      },
      'move.rollBack'({ id }) {
        const { state, step } = find(id)
        if (state === 'rolling-back') return goOn(id, { problem: null })
        if (state === 'done' || state === 'rolled-back') throw notNow('It is over.')
        if (step === 'delete') throw notNow('The old webhook is being deleted.')
        return goOn(id, { state: 'rolling-back', problem: null })
      },
      'move.finish'({ id }) {
        const { state, to } = find(id)
        if (state !== 'running' && state !== 'paused') throw notNow('It is over, or rolled back.')
        if (to.id === null) throw notNow('The new webhook is not there yet.')
        return goOn(id, { state: 'running', isForced: true, problem: null })
      },
    },
    start() {
      for (const { id, state } of moves.open()) if (state !== 'paused') run(id)
    },
    async stop() {
      isStopped = true
      notifier.stop()
      const ends = [...runs.values()].map(({ abort, ended }) => {
        abort.abort()
        return ended
      })
      const grace = new AbortController()
      const late = deps.wait(endGraceMs, grace.signal).catch(() => undefined)
      await Promise.race([Promise.all(ends), late])
      grace.abort()
    },
    async forget(network) {
      const gone = moves.list(network).flatMap(({ id }) => runs.get(id) ?? [])
      for (const { abort } of gone) abort.abort()
      await Promise.all(gone.map(({ ended }) => ended))
      await moves.forget(network)
    },
  }
}

function toMove(record: MoveRecord): WebhookMove {
  const { id, network, from, to, step, state, problem } = record
  const { copied, total, undelivered, createdAt, finishedAt } = record
  return {
    ...{ id, network, from, to, step, state, problem },
    ...{ copied, total, undelivered, createdAt, finishedAt },
  }
}

function notNow(why: string): AppError {
  return new AppError(webhookCodes.moveNotNow, `That cannot be done with this move now. ${why}`)
}

function alreadyThere(endpoint: string): AppError {
  return new AppError(bridgeCodes.invalidInput, `The webhook delivers to ${endpoint} already.`)
}
