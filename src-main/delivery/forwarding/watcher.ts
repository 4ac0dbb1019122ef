import type { LoggedDelivery } from '../store/forward-log.ts'
import type { NewDelivery } from '../store/forward-queue.ts'
import type { StoredRule } from '../store/forward-rules.ts'
import { decodeBody, headerValue } from '../../captures/decode-body.ts'
import {
  type RegisteredEndpoint,
  createSelfRefreshingNetworkOf,
} from '../../captures/explanation/network-of.ts'
import type { Delivery, DeliveryFilter } from '../../captures/query/searched-capture.ts'
import { subpathOf } from '../../captures/hook-path.ts'
import { wasForwarded } from '../sender/request-headers.ts'
import type { ForwardContext } from './attempt.ts'

type WatchedRule = Omit<StoredRule, 'filter'> & { readonly filter: DeliveryFilter | null }

type WatcherContext = Pick<ForwardContext, 'log' | 'queue' | 'deliveryOf' | 'now'> & {
  readonly onQueued: (deliveries: readonly NewDelivery[]) => void
  readonly onBoth: (rule: number, other: number) => void
}

/**
 * The number of captures per transaction is small, because the receiver's writer waits for each
 * transaction.
 */
const sliceRows = 200
const saveEveryMs = 2_000

type Rule = Omit<WatchedRule, 'reached'> & {
  reached: number
  saved: number
  next?: { readonly after: number; readonly arrivedAt: number }
}

function concerns({ reached, upTo, gaps }: Rule, id: number): boolean {
  if (id <= reached || id > (upTo ?? Infinity)) return false
  return !gaps.some(([after, to]) => id > after && id <= to)
}

export function createWatcher(context: WatcherContext) {
  const { log, queue, now } = context
  let rules: Rule[] = []
  let savedAt = 0
  let version = 0

  const endOf = (rule: Rule, classifiedTo: number) => Math.min(rule.upTo ?? Infinity, classifiedTo)

  /** The progress in memory changes only after the write has succeeded. */
  function write(deliveries: readonly NewDelivery[], moved: ReadonlyMap<Rule, number>): void {
    const reached = new Map(rules.map((rule) => [rule, moved.get(rule) ?? rule.reached]))
    const unsaved = [...reached].filter(([rule, to]) => to > rule.saved)
    queue.add(deliveries, new Map(unsaved.map(([{ id }, to]) => [id, to])), now())
    for (const [rule, to] of reached) Object.assign(rule, { reached: to, saved: to })
    savedAt = performance.now()
  }

  return {
    setRules(next: readonly WatchedRule[]): void {
      version += 1
      const before = new Map(rules.map((rule) => [rule.id, rule]))
      rules = next.map((rule) => {
        // The stored progress may be too low; only enabling a rule raises it.
        const reached = Math.max(rule.reached, before.get(rule.id)?.reached ?? 0)
        return { ...rule, reached, saved: rule.reached }
      })
    },
    async step(): Promise<boolean> {
      const classifiedTo = log.classifiedTo()
      const active = rules.filter((rule) => rule.reached < endOf(rule, classifiedTo))
      if (active.length === 0) return false
      const from = Math.min(...active.map(({ reached }) => reached))
      const end = Math.max(...active.map((rule) => endOf(rule, classifiedTo)))
      const captures = log.between(from, end, sliceRows)
      const asOf = version
      const found: NewDelivery[] = []
      for (const capture of captures) {
        const taking = active.filter((rule) => concerns(rule, capture.id))
        if (taking.length === 0 || !isForwardable(capture)) continue
        const taken = await takenBy(capture, taking)
        noteBoth(taken)
        for (const rule of taken) {
          for (const { id } of rule.targets) found.push(deliveryTo(id, rule.id, capture))
        }
      }
      // A rule changed while a body was being decompressed, so the captures are read again.
      if (asOf !== version) return true
      const last = captures.length < sliceRows ? end : (captures.at(-1)?.id ?? end)
      const moved = new Map(
        active.map((rule) => [
          rule,
          Math.max(rule.reached, Math.min(last, endOf(rule, classifiedTo))),
        ]),
      )
      if (found.length === 0 && performance.now() - savedAt < saveEveryMs) {
        for (const [rule, to] of moved) rule.reached = to
        return true
      }
      write(found, moved)
      context.onQueued(found)
      return true
    },
    /**
     * Returns the arrival of the first capture that the rule has not read, in microseconds;
     * Infinity if there is none.
     */
    horizon(id: number): number {
      const rule = rules.find((each) => each.id === id)
      if (rule === undefined || (rule.upTo !== null && rule.reached >= rule.upTo)) return Infinity
      if (rule.next?.after === rule.reached) return rule.next.arrivedAt
      const arrivedAt = log.nextArrival(rule.reached)
      if (arrivedAt !== null) rule.next = { after: rule.reached, arrivedAt }
      return arrivedAt ?? Infinity
    },
    save(): void {
      if (rules.some((rule) => rule.reached > rule.saved)) write([], new Map())
    },
  }

  async function takenBy(capture: LoggedDelivery, taking: readonly Rule[]): Promise<Rule[]> {
    if (taking.every(({ filter }) => filter === null)) return [...taking]
    const delivery = await context.deliveryOf(capture)
    return taking.filter(({ filter }) => filter === null || filter(delivery))
  }

  function noteBoth(taken: readonly Rule[]): void {
    if (taken.length < 2) return
    const first = new Map<string, number>()
    for (const { id, targets } of taken) {
      for (const { url } of targets) {
        const other = first.get(url)
        if (other === undefined) first.set(url, id)
        else if (other !== id) context.onBoth(id, other)
      }
    }
  }
}

function deliveryTo(target: number, rule: number, capture: LoggedDelivery): NewDelivery {
  const { id, receivedAt, facts } = capture
  const lt = ltOf(capture)
  const queue = deliveryQueueOf(facts?.account ?? null, lt)
  return { capture: id, target, rule, lane: queue, lt, receivedAt }
}

function ltOf({ facts }: LoggedDelivery): bigint | null {
  const lt = facts?.lt ?? null
  return lt === null ? null : BigInt(lt)
}

/**
 * Deliveries of one queue are sent in order: those of an account by logical time, those without an
 * account by arrival.
 */
export const deliveryQueueOf = (account: string | null, lt: bigint | null): string =>
  account === null || lt === null ? '' : account

/**
 * Accepts complete deliveries with an accepted token that no Tondesk has forwarded before, and
 * captures of watched accounts that are set to be forwarded.
 */
export function isForwardable({
  origin,
  isForwarded = false,
  completeness,
  status,
  token,
  headers,
}: Pick<Delivery, 'origin' | 'completeness' | 'status' | 'token' | 'headers'> & {
  readonly isForwarded?: boolean
}): boolean {
  const isRefused = status === 401 && (token === 'wrong' || token === 'missing')
  const isDelivery = origin === 'received' || isForwarded
  return isDelivery && completeness === 'complete' && !isRefused && !wasForwarded(headers)
}

const decodeLimitBytes = 8 * 1024 * 1024

export function createDeliveryOf(
  body: (capture: number) => Uint8Array,
  hooks: () => readonly RegisteredEndpoint[],
) {
  const networkOf = createSelfRefreshingNetworkOf({ list: hooks })

  return async (capture: LoggedDelivery): Promise<Delivery> => {
    const { id, facts, headers } = capture
    const kind = facts?.kind ?? 'unknown'
    const encoding = headerValue(headers, 'content-encoding')
    let read: Uint8Array | null = null
    if (encoding !== null) read = (await decodeBody(body(id), encoding, decodeLimitBytes)).bytes
    return {
      ...capture,
      subpath: subpathOf(capture.target),
      get body() {
        return (read ??= body(id))
      },
      // Deliveries of invoices carry no bearer token by design.
      token: kind === 'invoice' && capture.token === 'missing' ? 'unchecked' : capture.token,
      kind,
      account: facts?.account ?? null,
      lt: ltOf(capture),
      txHash: facts?.txHash ?? null,
      isDuplicate: facts !== undefined && facts.duplicateOf !== null,
      isOutOfOrder: facts?.outOfOrder ?? false,
      network: capture.chosenNetwork ?? networkOf({ ...capture, kind })?.network ?? null,
    }
  }
}
