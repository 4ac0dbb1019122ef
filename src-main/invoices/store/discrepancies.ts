import { type DiscrepancyKind, discrepancyKind } from '../../../src-preload/contract/invoice.ts'
import type { Discrepancy } from '../../../src-preload/contract/discrepancy.ts'
import { type Database, createSql, int64 } from '../../database/sql.ts'
import {
  type ListText,
  accountSql,
  amountSql,
  hashSql,
  listTextValues,
} from '../../database/list-text.ts'

/** Times are milliseconds, amounts are minimal units. */
export type StoredDiscrepancy = Readonly<
  Pick<Discrepancy, 'key' | 'network' | 'kind' | 'since' | 'note'>
> & {
  readonly invoiceKey: number | null
  readonly paymentKey: number | null
  readonly amount: bigint | null
  /** The invoice's state; a decision made in one state does not apply in another. */
  readonly state: string
  readonly handled: Readonly<{ at: number; amount: bigint | null; state: string }> | null
  readonly closedAt: number | null
}

export type DiscrepancySubject = { readonly invoiceKey: number } | { readonly paymentKey: number }

type Found = Pick<StoredDiscrepancy, 'kind' | 'amount' | 'state' | 'since'>

type DiscrepancyPage = {
  readonly network: string
  readonly kind: DiscrepancyKind | null
  readonly handled: boolean
  readonly text: ListText | null
}

export function createDiscrepancies(database: Database) {
  const sql = createSql(database, { amount: int64, handledAmount: int64 })
  const all = (rest: string, values: Readonly<Record<string, unknown>>) =>
    sql.all<DiscrepancyRow>(`SELECT m.* FROM matters m ${rest}`, values).map(toDiscrepancy)
  const open = `matters INDEXED BY matters_open
    WHERE network = ? AND handled_at IS NULL AND closed_at IS NULL`

  return {
    get: (network: string, key: number) =>
      all('WHERE network = $network AND key = $key', { network, key })[0] ?? null,
    of: (subject: DiscrepancySubject) =>
      'invoiceKey' in subject
        ? all('WHERE invoice_key = $invoiceKey', subject)
        : all('WHERE payment_key = $paymentKey', subject),
    add(network: string, subject: DiscrepancySubject, found: Found): void {
      const { kind, amount, state, since } = found
      sql.insert('matters', { network, ...subject, kind, amount, state, since })
    },
    update(
      key: number,
      discrepancy: Pick<StoredDiscrepancy, 'amount' | 'state' | 'since' | 'handled' | 'closedAt'>,
    ): void {
      const { amount, state, since, handled, closedAt } = discrepancy
      const { at = null, amount: handledAmount = null, state: handledState = null } = handled ?? {}
      const decision = { handledAt: at, handledAmount, handledState, closedAt }
      sql.update('matters', { amount, state, since, ...decision }, { key })
    },
    setNote: (key: number, note: string) => void sql.update('matters', { note }, { key }),
    page: (requested: DiscrepancyPage, page: { offset: number; limit: number }) =>
      all(`${conditions(requested)} ORDER BY m.since, m.key LIMIT $limit OFFSET $offset`, {
        ...valuesOf(requested),
        ...page,
      }),
    count: (requested: DiscrepancyPage): number =>
      sql.count(`matters m ${conditions(requested)}`, valuesOf(requested)),
    byKind(network: string): Record<DiscrepancyKind, number> {
      const byKind = sql.all<{ kind: DiscrepancyKind; n: number }>(
        `SELECT kind, count(*) AS n FROM ${open} GROUP BY kind`,
        network,
      )
      const none = Object.fromEntries(discrepancyKind.options.map((kind) => [kind, 0]))
      const counts = Object.fromEntries(byKind.map(({ kind, n }) => [kind, n]))
      return { ...none, ...counts } as Record<DiscrepancyKind, number>
    },
    open: (network: string) => sql.count(open, network),
    forgetSome: (network: string) => sql.removeSome('matters', 'key', { network }),
  }
}

function conditions({ kind, handled, text }: DiscrepancyPage): string {
  const where = `WHERE m.network = $network AND m.closed_at IS NULL
    AND m.handled_at IS ${handled ? 'NOT ' : ''}NULL${kind === null ? '' : ' AND m.kind = $kind'}`
  if (text === null) return where
  return `LEFT JOIN invoices i ON i.key = m.invoice_key
    LEFT JOIN payments p ON p.key = m.payment_key
    LEFT JOIN invoice_accounts a
      ON a.network = p.network AND a.account = p.account AND a.is_shared = 0
    LEFT JOIN invoices o ON o.key = coalesce(p.named_key, a.first_invoice)
    ${where} AND (instr(lower(m.note), $text) OR instr(lower(i.id), $text)
      OR instr(lower(i.order_reference), $text)
      OR instr(lower(i.description), $text) OR instr(lower(o.id), $text)
      OR ${accountSql('i.paid_by')} OR ${accountSql('p.payer')} OR ${hashSql('p.hash')}
      OR ${amountSql('i', 'amount')} OR ${amountSql('o', 'amount')}
      OR ${amountSql('p', 'amount')} OR instr(p.comment_key, $text))`
}

const valuesOf = ({ network, kind, text }: DiscrepancyPage) => ({
  network,
  kind,
  ...(text !== null && listTextValues(text)),
})

type DiscrepancyRow = Omit<StoredDiscrepancy, 'handled'> &
  Readonly<{ handledAt: number | null; handledAmount: bigint | null; handledState: string | null }>

function toDiscrepancy({
  handledAt: at,
  handledAmount,
  handledState,
  ...row
}: DiscrepancyRow): StoredDiscrepancy {
  const handled = at === null ? null : { at, amount: handledAmount, state: handledState ?? '' }
  return { ...row, handled }
}
