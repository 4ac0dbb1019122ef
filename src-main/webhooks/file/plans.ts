/** Drafts of subscription files. They are in memory until they are applied. */
import { LimitedMap } from '../../../src-preload/domain/limited-map.ts'
import { randomUUID } from 'node:crypto'
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { Handlers } from '../../../src-preload/contract/routes.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import type { Plan, SubscriptionsFormat } from '../../../src-preload/contract/subscription.ts'
import { subscriptionCodes } from '../../../src-preload/domain/error-codes.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import type { ChangesPart } from '../changes/changes.ts'
import type { WebhookRoom } from '../room.ts'
import { readActual } from './export.ts'
import { type StartWork, WorkEnded } from '../../threads/rpc.ts'
import { type Comparison, compareFile } from './comparison.ts'
import { type WantedFile, type WantedWebhook, fileProblem, maxBytes } from './collect.ts'
import { slicesOf } from '../../database/pages.ts'
import type { TaskCalls } from '../../threads/task-process.ts'
import type { FileQuestion, FileReports } from './read-file.ts'

type Draft = {
  readonly id: string
  readonly network: NetworkId
  readonly file: string
  readonly format: SubscriptionsFormat
  pieces: Uint8Array[]
  bytes: number
  wanted: WantedFile | null
  comparison: Comparison | null
  last: Promise<unknown>
}

type AddLabels = (network: NetworkId, names: ReadonlyMap<string, string>) => void

/** Closed windows leave their drafts behind; the oldest are dropped. */
const maxDrafts = 4
const labelsAtOnce = 1000

export function createPlans(
  deps: WebhookRoom & {
    readonly startFileWork: StartWork
    readonly addLabels: AddLabels
  },
  makeChange: ChangesPart['make'],
) {
  const { access, book } = deps
  const drafts = new LimitedMap<string, Draft>(maxDrafts)

  function find(id: string): Draft {
    const draft = drafts.get(id)
    if (draft !== undefined) return draft
    throw new AppError(
      subscriptionCodes.planUnknown,
      'This file is no longer in memory. Open the file again.',
    )
  }

  async function compare(draft: Draft): Promise<Plan> {
    const { id, network, file, format } = draft
    draft.comparison = null
    const { testOnly } = access.info(network)
    const question = { pieces: draft.pieces, format, testOnly }
    const wanted = draft.wanted ?? (await readInProcess(deps.startFileWork, question))
    Object.assign(draft, { wanted, pieces: [] })
    const queryOptions = { signal: access.interest(network) }
    const there = await book.readAnew(network, queryOptions)
    const { id: name, name: title } = access.info(network)
    const comparison = await compareFile(wanted, there, [title, name], (webhook, one) => {
      const only = { accounts: one.accounts !== null, opcodes: one.opcodes !== null }
      return readActual(network, webhook, only, deps, queryOptions)
    })
    draft.comparison = comparison
    return { id, network, file, format, comparedAt: deps.now(), ...comparison.figures }
  }

  const handlers = {
    'plan.begin'({ network, file, format, replaces }) {
      access.info(network)
      if (replaces !== null) drafts.delete(replaces)
      const id = randomUUID()
      const nothing = { pieces: [], bytes: 0, wanted: null, comparison: null }
      drafts.set(id, { id, network, file, format, ...nothing, last: Promise.resolve() })
      return { id }
    },
    'plan.append'({ id, base64 }) {
      const draft = find(id)
      if (draft.wanted !== null) throw refused('This file was already read. Open it again.')
      const piece = Buffer.from(base64, 'base64')
      if (draft.bytes + piece.length > maxBytes) {
        drafts.delete(id)
        const max = maxBytes / 1024 / 1024
        throw refused(`The file is larger than the limit of ${max} MiB.`)
      }
      draft.pieces.push(piece)
      draft.bytes += piece.length
      return { bytes: draft.bytes }
    },
    async 'plan.compare'({ id }) {
      const draft = find(id)
      const comparing = draft.last.then(() => compare(draft))
      draft.last = comparing.catch(() => undefined)
      return comparing
    },
    'plan.differences'({ id, kind, offset, limit }) {
      const all = compared(find(id)).of(kind)
      return { total: all.length, differences: all.slice(offset, offset + limit) }
    },
    async 'plan.apply'({ id }) {
      const draft = find(id)
      const comparison = compared(draft)
      const { counts, refusal } = comparison.figures
      const { network, file } = draft
      if (refusal !== null) throw refused(refusal)
      if (counts.missing + counts.extra === 0) {
        throw new AppError(
          subscriptionCodes.nothingToChange,
          'The gateway’s subscriptions already match the file.',
        )
      }
      const { webhooks, list } = comparison.deeds()
      for (const webhook of webhooks) {
        if (webhook.id !== null) deps.refuseWhileMoving(network, webhook.id)
      }
      // Prevents a second change for the same comparison.
      draft.comparison = null
      await addLabels(draft, deps.addLabels)
      find(id)
      return makeChange({ network, kind: 'apply', name: file, webhooks }, list)
    },
  } satisfies Partial<Handlers>

  return {
    handlers,
    forget(network: NetworkId): void {
      for (const { id, network: of } of drafts.values()) if (of === network) drafts.delete(id)
    },
  }
}

function compared({ comparison }: Draft): Comparison {
  if (comparison !== null) return comparison
  throw refused('Compare the file with the gateway first.')
}

async function addLabels({ network, wanted }: Draft, add: AddLabels): Promise<void> {
  for (const { accounts } of wanted?.webhooks ?? []) {
    const named = accounts?.filter(({ label }) => label !== null) ?? []
    for (const slice of slicesOf(named, labelsAtOnce)) {
      add(network, new Map(slice.map(({ address, label }) => [address, label ?? ''])))
      await yieldToEventLoop()
    }
  }
}

function refused(message: string): AppError {
  return new AppError(subscriptionCodes.planRefused, message)
}

/** A process of its own, because a crafted file may exhaust memory. @throws AppError PLAN_FILE_INVALID */
async function readInProcess(startWork: StartWork, question: FileQuestion): Promise<WantedFile> {
  const webhooks: WantedWebhook[] = []
  const worker = startWork<TaskCalls, FileReports>({
    webhook: (webhook) => void webhooks.push(webhook),
    more({ accounts, faults }) {
      const last = webhooks.at(-1)
      last?.accounts?.push(...(accounts ?? []))
      last?.faults.push(...faults)
    },
  })
  try {
    const { network } = await worker.call('readSubscriptions', question)
    return { network, webhooks }
  } catch (error) {
    if (!(error instanceof WorkEnded)) throw error
    throw fileProblem('The file needs more memory than Tondesk allows.')
  } finally {
    await worker.stop()
  }
}
