import { type MatterKind, matterKind } from '../../../src-preload/contract/invoice.ts'
import type { Database } from '../../database/database.ts'
import {
  type ListText,
  accountSql,
  accountValues,
  amountSql,
  amountValues,
  hashSql,
  hashValues,
} from '../../database/list-text.ts'

/** One thing that needs a decision. Moments are milliseconds, amounts minimal units. */
export type StoredMatter = {
  readonly key: number
  readonly network: string
  readonly kind: MatterKind
  /** Exactly one of the two is given. */
  readonly invoiceKey: number | null
  readonly paymentKey: number | null
  readonly amount: bigint | null
  /** Of what it is about: what was decided in one is not decided in another. */
  readonly state: string
  readonly since: number
  readonly note: string
  readonly handled: {
    readonly at: number
    readonly amount: bigint | null
    readonly state: string
  } | null
  /** When it was none any more. */
  readonly closedAt: number | null
}

export type MatterSubject = { readonly invoiceKey: number } | { readonly paymentKey: number }

type MatterPage = {
  readonly network: string
  readonly kind: MatterKind | null
  readonly handled: boolean
  /** Null for all. */
  readonly text: ListText | null
}

type Matters = {
  get(network: string, key: number): StoredMatter | null
  of(subject: MatterSubject): StoredMatter[]
  add(
    network: string,
    subject: MatterSubject,
    matter: Pick<StoredMatter, 'kind' | 'amount' | 'state' | 'since'>,
  ): void
  update(
    key: number,
    matter: Pick<StoredMatter, 'amount' | 'state' | 'since' | 'handled' | 'closedAt'>,
  ): void
  setNote(key: number, note: string): void
  /** Oldest first. */
  page(asked: MatterPage, page: { offset: number; limit: number }): StoredMatter[]
  count(asked: MatterPage): number
  /** Of open ones. */
  byKind(network: string): Record<MatterKind, number>
  open(network: string): number
  /** @returns false once nothing is left; call again until then */
  forgetSome(network: string): boolean
}

const stepRows = 500

export function createMatters(database: Database): Matters {
  const read = (rest: string) => {
    const statement = database.prepare(`SELECT m.* FROM matters m ${rest}`)
    statement.setReadBigInts(true)
    return statement
  }
  const one = read('WHERE network = ? AND key = ?')
  const ofInvoice = read('WHERE invoice_key = ?')
  const ofPayment = read('WHERE payment_key = ?')
  const insert = database.prepare(
    `INSERT INTO matters (network, kind, invoice_key, payment_key, amount, state, since)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  )
  const update = database.prepare(
    `UPDATE matters SET amount = ?, state = ?, since = ?, handled_at = ?, handled_amount = ?,
       handled_state = ?, closed_at = ? WHERE key = ?`,
  )
  const setNote = database.prepare('UPDATE matters SET note = ? WHERE key = ?')
  const isOpen = 'handled_at IS NULL AND closed_at IS NULL'
  const byKind = database.prepare(
    `SELECT kind, count(*) AS n FROM matters INDEXED BY matters_open
     WHERE network = ? AND ${isOpen} GROUP BY kind`,
  )
  const open = database.prepare(
    `SELECT count(*) AS n FROM matters INDEXED BY matters_open WHERE network = ? AND ${isOpen}`,
  )
  const forget = database.prepare(
    `DELETE FROM matters WHERE key IN (SELECT key FROM matters WHERE network = ? LIMIT ${stepRows})`,
  )

  return {
    get(network, key) {
      const row = one.get(network, key)
      return row === undefined ? null : toMatter(row)
    },
    of: (subject) =>
      ('invoiceKey' in subject
        ? ofInvoice.all(subject.invoiceKey)
        : ofPayment.all(subject.paymentKey)
      ).map(toMatter),
    add(network, subject, { kind, amount, state, since }) {
      const [invoice, payment] =
        'invoiceKey' in subject ? [subject.invoiceKey, null] : [null, subject.paymentKey]
      insert.run(network, kind, invoice, payment, amount, state, since)
    },
    update: (key, { amount, state, since, handled, closedAt }) =>
      void update.run(
        amount,
        state,
        since,
        handled?.at ?? null,
        handled?.amount ?? null,
        handled?.state ?? null,
        closedAt,
        key,
      ),
    setNote: (key, note) => void setNote.run(note, key),
    page(asked, { offset, limit }) {
      const { from, values } = conditions(asked)
      return read(`${from} ORDER BY m.since, m.key LIMIT $limit OFFSET $offset`)
        .all({ ...values, $limit: limit, $offset: offset })
        .map(toMatter)
    },
    count(asked) {
      const { from, values } = conditions(asked)
      return Number(
        database.prepare(`SELECT count(*) AS n FROM matters m ${from}`).get(values)?.['n'],
      )
    },
    byKind(network) {
      const counts = new Map(
        byKind.all(network).map((row) => [row['kind'] as string, row['n'] as number]),
      )
      return Object.fromEntries(
        matterKind.options.map((kind) => [kind, counts.get(kind) ?? 0]),
      ) as Record<MatterKind, number>
    },
    open: (network) => Number(open.get(network)?.['n']),
    forgetSome: (network) => Number(forget.run(network).changes) > 0,
  }
}

function conditions({ network, kind, handled, text }: MatterPage) {
  const parts = [
    'm.network = $network',
    'm.closed_at IS NULL',
    `m.handled_at IS ${handled ? 'NOT ' : ''}NULL`,
  ]
  const values: Record<string, string | bigint | null> = { $network: network }
  if (kind !== null) {
    parts.push('m.kind = $kind')
    values['$kind'] = kind
  }
  if (text === null) return { from: `WHERE ${parts.join(' AND ')}`, values }
  Object.assign(values, accountValues(text), hashValues(text), amountValues(text))
  parts.push(
    `(instr(lower(m.note), $text) OR instr(lower(i.id), $text) OR instr(lower(i.description), $text)
      OR ${accountSql('i.paid_by')} OR ${accountSql('p.payer')} OR ${hashSql('p.hash')}
      OR ${amountSql('i', 'amount')} OR ${amountSql('o', 'amount')}
      OR ${amountSql('p', 'amount')} OR instr(p.comment_key, $text)
      OR instr(lower(o.id), $text))`,
  )
  const joins = `LEFT JOIN invoices i ON i.key = m.invoice_key
    LEFT JOIN payments p ON p.key = m.payment_key
    LEFT JOIN invoice_accounts a
      ON a.network = p.network AND a.account = p.account AND a.is_shared = 0
    LEFT JOIN invoices o ON o.key = a.first_invoice`
  return { from: `${joins} WHERE ${parts.join(' AND ')}`, values }
}

function toMatter(row: Readonly<Record<string, unknown>>): StoredMatter {
  const number = (name: string) => (row[name] === null ? null : Number(row[name]))
  const handledAt = number('handled_at')
  return {
    key: Number(row['key']),
    network: row['network'] as string,
    kind: row['kind'] as MatterKind,
    invoiceKey: number('invoice_key'),
    paymentKey: number('payment_key'),
    amount: row['amount'] as bigint | null,
    state: row['state'] as string,
    since: Number(row['since']),
    note: row['note'] as string,
    handled:
      handledAt === null
        ? null
        : {
            at: handledAt,
            amount: row['handled_amount'] as bigint | null,
            state: row['handled_state'] as string,
          },
    closedAt: number('closed_at'),
  }
}
