import type { Handlers } from '../../../src-preload/contract/routes.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import type { WebhookMove } from '../../../src-preload/contract/webhook.ts'
import { webhookCodes } from '../../../src-preload/domain/error-codes.ts'
import { AppError, bridgeCodes } from '../../../src-preload/domain/app-error.ts'
import type { Room } from '../room.ts'
import type { MoveChange, MoveRecord } from '../store/moves.ts'
import { type RunDeps, createMoveWork, isUnderWay } from './move-run.ts'

export type MovesPart = ReturnType<typeof createMovesPart>

export function createMovesPart(
  deps: RunDeps &
    Room<'events' | 'jobs'> & {
      readonly refuseWhileChanging: (network: NetworkId, webhook: string) => void
    },
) {
  const { book } = deps
  const { moves } = deps.store
  const resumed = new Set<number>()
  const jobs = deps.jobs.add({
    noun: 'move',
    unknownCode: webhookCodes.moveUnknown,
    table: moves,
    items: { orphans: () => [], removeSome: moves.removeSubjectsOf },
    work: (move: MoveRecord, control) =>
      createMoveWork(move, resumed.delete(move.id), control, deps),
    left: () => null,
    show: ({ knownBefore, levelAt, isForced, rate, secondsLeft, ...move }): WebhookMove => move,
    onChanged(changed) {
      for (const move of changed) deps.events.emit('move.changed', { move })
    },
    isActive: isUnderWay,
  })

  function refuse(network: NetworkId, webhook: string): void {
    const move = moves
      .open()
      .find((each) => each.network === network && [each.from.id, each.to.id].includes(webhook))
    if (move === undefined) return
    throw new AppError(
      webhookCodes.moveUnderWay,
      `Webhook ${webhook} is part of a move from ${move.from.endpoint} to ${move.to.endpoint}. Wait for the move to end, or roll it back.`,
    )
  }

  function goOn(id: number, change: MoveChange): WebhookMove {
    moves.change(id, change)
    jobs.notify(id)
    jobs.restart(id).catch(deps.onBug)
    return jobs.view(id)
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
      ...jobs.routes('move', 'list'),
      'move.resume'({ id }) {
        const { state } = jobs.find(id)
        if (state === 'done' || state === 'rolled-back') throw notNow('The move is over.')
        const next = state === 'rolling-back' ? state : 'running'
        resumed.add(id)
        return goOn(id, { state: next, problem: null })
      },
      'move.rollBack'({ id }) {
        const { state, step } = jobs.find(id)
        if (state === 'rolling-back') return goOn(id, { problem: null })
        if (state === 'done' || state === 'rolled-back') throw notNow('The move is over.')
        if (step === 'delete') throw notNow('The old webhook is being deleted.')
        return goOn(id, { state: 'rolling-back', problem: null })
      },
      'move.finish'({ id }) {
        const { state, to } = jobs.find(id)
        if (state !== 'running' && state !== 'paused')
          throw notNow('The move is over or rolled back.')
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
    `This is not possible at this stage of the move. ${why}`,
  )
}

function alreadyThere(endpoint: string): AppError {
  return new AppError(bridgeCodes.invalidInput, `The webhook already delivers to ${endpoint}.`)
}
