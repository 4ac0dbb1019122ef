import { setImmediate as breathe } from 'node:timers/promises'
import {
  type ChangeItem,
  type Difference,
  type DifferenceKind,
  type Plan,
  differenceKind,
} from '../../../src-preload/contract/subscription.ts'
import type { Webhook } from '../../../src-preload/contract/webhook.ts'
import type { Action } from '../store/changes.ts'
import { isSameEndpoint } from '../endpoint.ts'
import { type WantedFile, type WantedWebhook, type WantedFlag, readOpcode } from './collect.ts'

export type ActualWebhook = {
  readonly id: string
  readonly endpoint: string
  readonly newContracts: boolean | null
  readonly mempool: boolean | null
  readonly opcodes: readonly string[]
  /** A page of raw addresses in ascending order, after the given one. */
  readonly accountsAfter: (account: string, limit: number) => readonly string[]
}

type Found = Omit<Difference, 'index' | 'webhook' | 'endpoint'>

type Figures = {
  wanted: number
  actual: number
  missing: number
  extra: number
  same: number
}

const accountsAtOnce = 1000

/** @returns null where there is none, or a sentence when the entry is ambiguous or contradicts it */
function matchWebhook<W extends { readonly id: string; readonly endpoint: string }>(
  { endpoint, id, line }: WantedWebhook,
  there: readonly W[],
): W | null | string {
  if (id !== null) {
    const named = there.find((each) => each.id === id)
    if (named === undefined) {
      return `There is no webhook ${id}, which line ${line} names: leave the id out to mean the one with its endpoint.`
    }
    if (isSameEndpoint(named.endpoint, endpoint)) return named
    return `Webhook ${id} delivers to ${named.endpoint}, and not to the endpoint that line ${line} gives it.`
  }
  const exact = there.filter((each) => each.endpoint === endpoint)
  const found = exact.length > 0 ? exact : there.filter((w) => isSameEndpoint(w.endpoint, endpoint))
  if (found.length < 2) return found[0] ?? null
  const ids = found.map((each) => each.id).join(' and ')
  return `Webhooks ${ids} deliver to the endpoint on line ${line}: give the id of the one that is meant.`
}

/**
 * Yields between batches. Extras are reported last.
 * @param actual null for a webhook that is to be created
 */
function* compareWebhook(
  wanted: WantedWebhook,
  actual: ActualWebhook | null,
  tell: (found: Found) => void,
): Generator<void, Figures> {
  const figures: Figures = { wanted: 0, actual: 0, missing: 0, extra: 0, same: 0 }
  const extras: Found[] = []

  function missing(what: Found['what'], subject: string, line: number, label: string | null): void {
    figures.missing += 1
    tell({ kind: 'missing', what, subject, label, line, reason: null })
  }

  function extra(what: Found['what'], subject: string, line: number | null): void {
    figures.extra += 1
    extras.push({ kind: 'extra', what, subject, label: null, line, reason: null })
  }

  function compareFlag(what: Found['what'], flag: WantedFlag | null, is: boolean | null): void {
    if (flag === null) return
    if (flag.on) figures.wanted += 1
    if (is === true) figures.actual += 1
    if (flag.on === is) figures.same += 1
    else if (flag.on) missing(what, '', flag.line, null)
    else extra(what, '', flag.line)
  }

  function compareOpcodes(): void {
    if (wanted.opcodes === null) return
    const there = new Map((actual?.opcodes ?? []).map((each) => [readOpcode(each) ?? each, each]))
    figures.wanted += wanted.opcodes.length
    figures.actual += there.size
    for (const { opcode, line } of wanted.opcodes) {
      if (there.delete(opcode)) figures.same += 1
      else missing('opcode', opcode, line, null)
    }
    for (const opcode of there.values()) extra('opcode', opcode, null)
  }

  function* compareAccounts(): Generator<void, void> {
    if (wanted.accounts === null) return
    const untouchable = new Set(wanted.untouchable)
    const left = new Map(wanted.accounts.map((account) => [account.address, account]))
    figures.wanted += left.size
    let after = ''
    for (;;) {
      const page = actual?.accountsAfter(after, accountsAtOnce) ?? []
      figures.actual += page.length
      for (const address of page) {
        const isWanted = left.delete(address)
        if (isWanted) figures.same += 1
        else if (!untouchable.has(address)) extra('account', address, null)
      }
      yield
      const last = page.at(-1)
      if (last === undefined) break
      after = last
    }
    let turn = 0
    for (const { address, line, label } of left.values()) {
      if (!untouchable.has(address)) missing('account', address, line, label)
      turn += 1
      if (turn % accountsAtOnce === 0) yield
    }
  }

  for (const fault of wanted.faults) tell(fault)
  if (actual === null) missing('webhook', '', wanted.line, null)
  compareFlag('new-contracts', wanted.newContracts, actual === null ? false : actual.newContracts)
  compareFlag('mempool', wanted.mempool, actual === null ? false : actual.mempool)
  compareOpcodes()
  yield* compareAccounts()
  // Extras come last: new subscriptions are made before old ones are dropped.
  for (const found of extras) tell(found)
  return figures
}

export type Comparison = {
  readonly figures: Pick<Plan, 'webhooks' | 'untouched' | 'counts' | 'same' | 'refusal'>
  readonly differences: readonly Difference[]
  readonly of: (kind: DifferenceKind | null) => readonly Difference[]
  readonly deeds: () => {
    readonly webhooks: { id: string | null; endpoint: string }[]
    readonly list: Iterable<Action>
  }
}

/** @param names all names by which a file may refer to this network */
export async function compareFile(
  file: WantedFile,
  there: readonly Webhook[],
  names: readonly string[],
  readActual: (webhook: Webhook, wanted: WantedWebhook) => Promise<ActualWebhook>,
): Promise<Comparison> {
  const differences: Difference[] = []
  const places: number[] = []
  const webhooks: Plan['webhooks'] = []
  const refusals: string[] = []
  const named = new Set<string>()
  let same = 0

  const called = file.network?.toLowerCase()
  const isForeign = called !== undefined && !names.some((name) => name.toLowerCase() === called)
  if (isForeign) {
    refusals.push(
      `The file is for the network ${file.network ?? ''}, and this is ${names[0] ?? ''}.`,
    )
  }

  for (const [place, wanted] of file.webhooks.entries()) {
    const found = isForeign ? null : matchWebhook(wanted, there)
    if (typeof found === 'string') {
      refusals.push(found)
      continue
    }
    if (found !== null && named.has(found.id)) {
      refusals.push(
        `The file names webhook ${found.id} twice, the second time on line ${wanted.line}.`,
      )
      continue
    }
    const twin = webhooks.find((w) => w.id === null && isSameEndpoint(w.endpoint, wanted.endpoint))
    if (found === null && twin !== undefined) {
      refusals.push(
        `The file names ${twin.endpoint} twice, the second time on line ${wanted.line}.`,
      )
      continue
    }
    if (found !== null) named.add(found.id)
    const { id, endpoint } = found ?? { id: null, endpoint: wanted.endpoint }
    const tell = (difference: Omit<Difference, 'index' | 'webhook' | 'endpoint'>) => {
      differences.push({ ...difference, index: differences.length, webhook: id, endpoint })
      places.push(place)
    }
    if (isForeign) {
      const { line } = wanted
      const reason = 'The file is for another network.'
      tell({ kind: 'wrong-network', what: 'webhook', subject: '', label: null, line, reason })
      continue
    }
    const actual = found === null ? null : await readActual(found, wanted)
    const steps = compareWebhook(wanted, actual, tell)
    let step = steps.next()
    while (step.done !== true) {
      await breathe()
      step = steps.next()
    }
    const { same: unchanged, ...figures } = step.value
    same += unchanged
    webhooks.push({ id, endpoint, ...figures })
  }

  const byKind = Map.groupBy(differences, ({ kind }) => kind)
  const counts = Object.fromEntries(
    differenceKind.options.map((kind) => [kind, byKind.get(kind)?.length ?? 0]),
  ) as Plan['counts']
  if (counts.invalid > 0) refusals.push(invalidRefusal(counts.invalid))
  const of = (kind: DifferenceKind | null) =>
    kind === null ? differences : (byKind.get(kind) ?? [])

  return {
    differences,
    of,
    figures: {
      webhooks,
      untouched: there
        .filter(({ id }) => !named.has(id))
        .map(({ id, endpoint }) => ({ id, endpoint })),
      counts,
      same,
      refusal: refusals.length === 0 ? null : refusals.join(' '),
    },
    deeds() {
      const mended = differences.filter(({ kind }) => kind === 'missing' || kind === 'extra')
      const order = [...new Set(mended.map(({ index }) => places[index] ?? 0))]
      const first = new Map(mended.toReversed().map((each) => [places[each.index], each]))
      return {
        webhooks: order.flatMap((place) => {
          const one = first.get(place)
          return one === undefined ? [] : [{ id: one.webhook, endpoint: one.endpoint }]
        }),
        list: Iterator.from(mended).map((difference): Action => {
          const { kind, what, subject, label } = difference
          const webhook = order.indexOf(places[difference.index] ?? 0)
          return { webhook, act: actOf(kind, what), what, subject, label }
        }),
      }
    },
  }
}

function actOf(kind: DifferenceKind, what: ChangeItem['what']): Action['act'] {
  if (what === 'webhook') return 'create'
  return kind === 'missing' ? 'subscribe' : 'unsubscribe'
}

function invalidRefusal(count: number): string {
  const entries = count === 1 ? 'One entry of the file is invalid' : `${count} entries are invalid`
  return `${entries}: what is meant cannot be told, and might be removed. Mend the file first.`
}
