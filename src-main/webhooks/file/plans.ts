/** Keeps drafts of subscription files in memory until they are applied. */
import { LimitedMap } from '../../../src-preload/domain/limited-map.ts'
import { randomUUID } from 'node:crypto'
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { Handlers } from '../../../src-preload/contract/routes.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import {
  type Difference,
  type DifferenceKind,
  type Plan,
  type SubscriptionsFormat,
  differenceKind,
} from '../../../src-preload/contract/subscription.ts'
import { AppError, subscriptionCodes } from '../../../src-preload/domain/app-error.ts'
import type { ChangesPart } from '../changes/changes.ts'
import type { WebhookRoom } from '../room.ts'
import { type ActualWebhook, readActual } from './export.ts'
import { type StartWork, WorkEnded } from '../../threads/rpc.ts'
import {
  type WantedFile,
  type WantedFlag,
  type WantedWebhook,
  fileProblem,
  maxBytes,
} from './collect.ts'
import { pagesOf, slicesOf } from '../../database/pages.ts'
import type { TaskCalls } from '../../threads/task-process.ts'
import type { FileQuestion, FileReports } from './read-file.ts'
import { formatOpcode, parseOpcode } from '../../../src-preload/domain/opcode.ts'
import type { Webhook } from '../../../src-preload/contract/webhook.ts'
import type { Action } from '../store/changes.ts'
import { isSameEndpoint } from '../../app/self-addresses.ts'

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

/** Closed windows leave their drafts behind; beyond this number the oldest are dropped. */
const maxDrafts = 4
const labelsAtOnce = 1000

export function createPlans(
  deps: WebhookRoom & { readonly startFileWork: StartWork; readonly addLabels: AddLabels },
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

const refused = (message: string): AppError => new AppError(subscriptionCodes.planRefused, message)

/**
 * Parses the file in a separate process, because a crafted file may exhaust memory. @throws
 * AppError PLAN_FILE_INVALID
 */
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

type Found = Omit<Difference, 'index' | 'webhook' | 'endpoint'>

const accountsAtOnce = 1000

/** @returns null if there is no webhook, or a sentence if the entry is ambiguous or contradicts the webhook */
function matchWebhook<W extends { readonly id: string; readonly endpoint: string }>(
  { endpoint, id, line }: WantedWebhook,
  there: readonly W[],
): W | null | string {
  if (id !== null) {
    const named = there.find((each) => each.id === id)
    if (named === undefined) {
      return `Line ${line} names webhook ${id}, which does not exist. Leave out the id to use the webhook with this endpoint.`
    }
    if (isSameEndpoint(named.endpoint, endpoint)) return named
    return `Webhook ${id} delivers to ${named.endpoint}, not to the endpoint on line ${line}.`
  }
  const exact = there.filter((each) => each.endpoint === endpoint)
  const found = exact.length > 0 ? exact : there.filter((w) => isSameEndpoint(w.endpoint, endpoint))
  if (found.length < 2) return found[0] ?? null
  const ids = found.map((each) => each.id).join(' and ')
  return `Webhooks ${ids} deliver to the endpoint on line ${line}. Add the id of the webhook you mean.`
}

/** @param actual null for a webhook that must be created */
async function compareWebhook(
  wanted: WantedWebhook,
  actual: ActualWebhook | null,
  report: (found: Found) => void,
) {
  const counts = { wanted: 0, actual: 0, missing: 0, extra: 0, same: 0 }
  const extras: Found[] = []

  function missing(what: Found['what'], subject: string, line: number, label: string | null): void {
    counts.missing += 1
    report({ kind: 'missing', what, subject, label, line, reason: null })
  }

  function extra(what: Found['what'], subject: string, line: number | null): void {
    counts.extra += 1
    extras.push({ kind: 'extra', what, subject, label: null, line, reason: null })
  }

  function compareFlag(what: Found['what'], flag: WantedFlag | null, is: boolean | null): void {
    if (flag === null) return
    if (flag.on) counts.wanted += 1
    if (is === true) counts.actual += 1
    if (flag.on === is) counts.same += 1
    else if (flag.on) missing(what, '', flag.line, null)
    else extra(what, '', flag.line)
  }

  const untouchable = new Set(wanted.faults.flatMap(({ address }) => address ?? []))
  for (const { address, ...fault } of wanted.faults) report(fault)
  if (actual === null) missing('webhook', '', wanted.line, null)
  compareFlag('new-contracts', wanted.newContracts, actual === null ? false : actual.newContracts)
  compareFlag('mempool', wanted.mempool, actual === null ? false : actual.mempool)
  if (wanted.opcodes !== null) {
    const there = new Map(
      (actual?.opcodes ?? []).map((each) => {
        const opcode = parseOpcode(each)
        return [opcode === null ? each : formatOpcode(opcode), each]
      }),
    )
    counts.wanted += wanted.opcodes.length
    counts.actual += there.size
    for (const { opcode, line } of wanted.opcodes) {
      if (there.delete(opcode)) counts.same += 1
      else missing('opcode', opcode, line, null)
    }
    for (const opcode of there.values()) extra('opcode', opcode, null)
  }
  if (wanted.accounts !== null) {
    const left = new Map(wanted.accounts.map((account) => [account.address, account]))
    counts.wanted += left.size
    const next = (last = '') => actual?.accountsAfter(last, accountsAtOnce) ?? []
    for await (const page of pagesOf<string>(next)) {
      counts.actual += page.length
      for (const address of page) {
        if (left.delete(address)) counts.same += 1
        else if (!untouchable.has(address)) extra('account', address, null)
      }
    }
    for (const slice of slicesOf(left.values(), accountsAtOnce)) {
      for (const { address, line, label } of slice) {
        if (!untouchable.has(address)) missing('account', address, line, label)
      }
      await yieldToEventLoop()
    }
  }
  // Extra subscriptions come last, so that new subscriptions are added before old ones are removed.
  for (const found of extras) report(found)
  return counts
}

type Comparison = Awaited<ReturnType<typeof compareFile>>

/** @param names all names by which a file may refer to this network */
export async function compareFile(
  file: WantedFile,
  there: readonly Webhook[],
  names: readonly string[],
  readActual: (webhook: Webhook, wanted: WantedWebhook) => Promise<ActualWebhook>,
) {
  const differences: Difference[] = []
  const targetsOfDifferences: { readonly id: string | null; readonly endpoint: string }[] = []
  const webhooks: Plan['webhooks'] = []
  const refusals: string[] = []
  let same = 0

  const called = file.network?.toLowerCase()
  const isForeign = called !== undefined && !names.some((name) => name.toLowerCase() === called)
  if (isForeign) {
    refusals.push(
      `The file is for the network ${file.network ?? ''}, but the selected network is ${names[0] ?? ''}.`,
    )
  }

  for (const wanted of file.webhooks) {
    const { line } = wanted
    const found = isForeign ? null : matchWebhook(wanted, there)
    if (typeof found === 'string') {
      refusals.push(found)
      continue
    }
    const { id, endpoint } = found ?? { id: null, endpoint: wanted.endpoint }
    const earlier = webhooks.find(
      (each) => each.id === id && (id !== null || isSameEndpoint(each.endpoint, endpoint)),
    )
    if (earlier !== undefined) {
      const name = id === null ? earlier.endpoint : `webhook ${id}`
      refusals.push(`The file contains ${name} twice, the second time on line ${line}.`)
      continue
    }
    const target = { id, endpoint }
    const report = (difference: Found) => {
      differences.push({ ...difference, index: differences.length, webhook: id, endpoint })
      targetsOfDifferences.push(target)
    }
    if (isForeign) {
      const reason = 'The file is for another network.'
      report({ kind: 'wrong-network', what: 'webhook', subject: '', label: null, line, reason })
      continue
    }
    const actual = found === null ? null : await readActual(found, wanted)
    const { same: unchanged, ...counts } = await compareWebhook(wanted, actual, report)
    same += unchanged
    webhooks.push({ ...target, ...counts })
  }

  const byKind = Map.groupBy(differences, ({ kind }) => kind)
  const of = (kind: DifferenceKind | null): readonly Difference[] =>
    kind === null ? differences : (byKind.get(kind) ?? [])
  const counts = Object.fromEntries(
    differenceKind.options.map((kind) => [kind, of(kind).length]),
  ) as Plan['counts']
  if (counts.invalid > 0) refusals.push(invalidRefusal(counts.invalid))

  return {
    of,
    figures: {
      webhooks,
      untouched: there
        .filter(({ id }) => webhooks.every((each) => each.id !== id))
        .map(({ id, endpoint }) => ({ id, endpoint })),
      counts,
      same,
      refusal: refusals.length === 0 ? null : refusals.join(' '),
    },
    deeds: () => {
      const needed = differences.filter(({ kind }) => kind === 'missing' || kind === 'extra')
      const named = [...new Set(needed.flatMap(({ index }) => targetsOfDifferences[index] ?? []))]
      return {
        webhooks: named,
        list: Iterator.from(needed).map(({ index, kind, what, subject, label }): Action => {
          const webhook = named.findIndex((each) => each === targetsOfDifferences[index])
          return { webhook, act: actOf(kind, what), what, subject, label }
        }),
      }
    },
  }
}

function actOf(kind: DifferenceKind, what: Difference['what']): Action['act'] {
  if (what === 'webhook') return 'create'
  return kind === 'missing' ? 'subscribe' : 'unsubscribe'
}

function invalidRefusal(count: number): string {
  const entries = count === 1 ? 'One entry of the file is invalid' : `${count} entries are invalid`
  return `${entries}, so applying the file could remove subscriptions that you want. Fix the file first.`
}
