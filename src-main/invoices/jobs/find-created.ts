/** Finds out whether an unanswered request created an invoice, without requesting it again. */
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import type { InvoiceEntry } from '../../gateway/invoice-answers.ts'
import type { ApplicationId, InvoicesClient } from '../../gateway/invoices.ts'
import type { Asking } from '../../gateway/query.ts'
import type { InvoiceJobItems, StoredItem } from '../store/invoice-jobs.ts'
import type { Ledger } from '../ledger/ledger.ts'

/** The gateway's state before a request: the newest creation time, and the ids of about that time. */
export type Mark = { readonly mark: number; readonly known: readonly string[] }

/** Clocks of servers behind one address may differ by this much. */
const slackMs = 5000
const atOnce = 100
const maxPages = 20

type List = {
  readonly client: InvoicesClient
  readonly app: ApplicationId
  readonly asking: Asking
}

/** @throws AppError as the client does; the signal's reason */
export async function readMark(list: List): Promise<Mark> {
  let mark: number | null = null
  const known: string[] = []
  for await (const page of pages(list)) {
    mark ??= Math.max(0, ...page.map(({ createdAt }) => createdAt))
    const from = mark - slackMs
    const recent = page.filter(({ createdAt }) => createdAt >= from)
    known.push(...recent.map(({ id }) => id))
    if (recent.length < page.length) break
  }
  return { mark: mark ?? 0, known }
}

/** Advances the mark after a creation; known ids are dropped once they are older than the slack. */
export function markAfter({ mark, known }: Mark, createdAt: number): Mark {
  if (createdAt <= mark) return { mark, known }
  return { mark: createdAt, known: createdAt - mark > slackMs ? [] : known }
}

type LookDeps = {
  readonly items: Pick<InvoiceJobItems, 'isIssued'>
  readonly ledger: Pick<Ledger, 'find'>
}

/**
 * Returns invoices with all fields equal, created since, and not assigned to another request.
 * @throws AppError as the client does; the signal's reason
 */
export async function findCreated(
  item: StoredItem,
  mark: number,
  network: NetworkId,
  list: List,
  { items, ledger }: LookDeps,
): Promise<InvoiceEntry[]> {
  const from = mark - slackMs
  const known = new Set(item.known)
  const found = new Map<string, InvoiceEntry>()
  for await (const page of pages(list)) {
    for (const entry of page) {
      if (entry.createdAt >= from && isAlike(item, entry)) found.set(entry.id, entry)
    }
    if (page.some(({ createdAt }) => createdAt < from)) break
  }
  return [...found.values()].filter(({ id }) => {
    const seenAt = ledger.find(network, id)?.firstSeenAt ?? Infinity
    return !known.has(id) && seenAt >= (item.askedAt ?? 0) && !items.isIssued(network, id)
  })
}

async function* pages({ client, app, asking }: List): AsyncGenerator<readonly InvoiceEntry[]> {
  for (let page = 0; page < maxPages; page += 1) {
    const question = { offset: page * atOnce, limit: atOnce }
    const { invoices, unread } = await client.list(question, app, asking)
    yield invoices
    if (invoices.length + unread.length < atOnce) return
  }
}

/** Rounded times may lose up to a second. */
const roundedMs = 1000

function isAlike(item: StoredItem, entry: InvoiceEntry): boolean {
  const lifeMs = entry.expiresAt - entry.createdAt
  return (
    entry.amount === item.amount &&
    entry.currency === item.currency &&
    entry.description.trim() === item.description.trim() &&
    Math.abs(lifeMs - (item.lifeTimeSeconds ?? 0) * 1000) <= roundedMs
  )
}
