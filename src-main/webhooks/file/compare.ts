/** What a file wants against what is. Pure: what is comes as it was read. */
import type { Difference } from '../../../src-preload/contract/subscription.ts'
import { isSameEndpoint } from '../endpoint.ts'
import { readOpcode } from './collect.ts'
import type { WantedFlag, WantedWebhook } from './wanted.ts'

export type ActualWebhook = {
  readonly id: string
  readonly endpoint: string
  /** Null where the gateway does not tell. */
  readonly newContracts: boolean | null
  readonly mempool: boolean | null
  readonly opcodes: readonly string[]
  /** Raw addresses in their order, page by page: those behind the one given. */
  readonly accountsAfter: (account: string, limit: number) => readonly string[]
}

type Found = Omit<Difference, 'index' | 'webhook' | 'endpoint'>

type Figures = {
  /** Subscriptions that the file names, and those there are of the kinds it speaks of. */
  wanted: number
  actual: number
  missing: number
  extra: number
  same: number
}

const accountsAtOnce = 1000

/**
 * The webhook that a file means; null when there is none.
 * @returns a sentence when it cannot be told
 */
export function matchWebhook<W extends { readonly id: string; readonly endpoint: string }>(
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
 * Tells the differences of one webhook: what is wrong in the file, then what to subscribe, then what
 * to unsubscribe. Yields now and then, so that the caller can let others have their turn.
 * @param actual null where it is still to be created
 */
export function* compareWebhook(
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
  // Flags of a webhook that is still to be created are off.
  compareFlag('new-contracts', wanted.newContracts, actual === null ? false : actual.newContracts)
  compareFlag('mempool', wanted.mempool, actual === null ? false : actual.mempool)
  compareOpcodes()
  yield* compareAccounts()
  // Last, so that at no moment fewer are heard of than before and after.
  for (const found of extras) tell(found)
  return figures
}
