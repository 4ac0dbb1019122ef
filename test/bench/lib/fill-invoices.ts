/** Fills a data directory with the invoices of a shop after two years, by writing to the database file. */
import { mkdirSync } from 'node:fs'
import { type Database, openDatabase, transaction } from '../../../src-main/database/database.ts'
import { bitOf } from '../../../src-main/invoices/store/invoice-rows.ts'
import { migrate } from '../../../src-main/database/migrate.ts'
import { dataPaths } from '../../../src-main/app/paths.ts'
import { seededRandom } from '../../fixtures/seeded.ts'

type FillOptions = {
  /** The default is `mainnet`, which gets no request as long as it has no key. */
  readonly network?: string
  readonly seed?: number
  /** Number of the first invoice, from which its id and description are made; 0 by default. */
  readonly first?: number
  /** Time of the newest invoice in milliseconds; the present by default. */
  readonly until?: number
  readonly onProgress?: (written: number) => void
}

const rowsInTransaction = 20_000
const secondMs = 1000
const minuteMs = 60 * secondMs
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs
const spanMs = 730 * dayMs
const lifetimesMs = [15 * minuteMs, hourMs, hourMs, dayMs, dayMs, 7 * dayMs, 30 * dayMs]
/** The number is smaller than that of invoices, because customers come again. */
const payerCount = 50_000
const addressCount = 3
const receiver = 'UQBYzjjI5hSYIrLjiiyBGkbg4vlMlQzvmMx8hjCqFKIYI-bW'

const words = `annual basic box bundle business coffee course credits delivery design domain
  download extra family filter gift hosting large licence lot membership monthly music parcel photo
  plan poster premium print renewal repair seat server service shirt small standard storage
  subscription support ticket top-up upgrade video voucher workshop`.split(/\s+/)
const cyrillic = ['Заказ', 'Оплата подписки', 'Доставка', 'Счёт за услуги', 'Продление хостинга']
/** Texts that spreadsheets, CSV and PDF must handle, in one of ten thousand invoices. */
const awkward = [
  '=SUM(A1:A9)',
  '+49 30 1234567',
  '-2 pcs',
  '@home delivery',
  'Line one\nline two',
  'He said "yes", then paid; done',
  "'quoted",
  'Café ☕ für zwei – naïve',
  'مرحبا \u202eabc',
  '\t tab, comma, semicolon; pipe|',
]

/**
 * Adds the same rows for the same count, options and seed; ids are unique up to four billion. The
 * rows are a mix of states, both currencies, overpayments and open discrepancies; one in five
 * thousand was only reported by a delivery.
 */
export function fillInvoices(
  dataDirectory: string,
  count: number,
  options: FillOptions = {},
): void {
  mkdirSync(dataDirectory, { recursive: true, mode: 0o700 })
  const paths = dataPaths(dataDirectory)
  const database = openDatabase(paths.database, { synchronous: 'NORMAL' })
  try {
    migrate(database, () => undefined)
    // Updating a dozen indexes row by row takes ten times as long as creating them at the end.
    const indexes = dropIndexes(database)
    writeInvoices(database, count, options)
    for (const sql of indexes) database.exec(sql)
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  } finally {
    database.close()
  }
}

/** @returns the statements that create them again */
function dropIndexes(database: Database): string[] {
  const indexes = database
    .prepare(
      `SELECT name, sql FROM sqlite_master
       WHERE type = 'index' AND tbl_name = 'invoices' AND sql IS NOT NULL`,
    )
    .all()
  for (const { name } of indexes) database.exec(`DROP INDEX ${name as string}`)
  return indexes.map(({ sql }) => sql as string)
}

/** Writes invoices into an open database of the latest version. */
export function writeInvoices(database: Database, count: number, options: FillOptions = {}): void {
  const { network = 'mainnet', seed = 6, first = 0, until = Date.now(), onProgress } = options
  const random = seededRandom(seed)
  const payers = Array.from({ length: payerCount }, () => address(random))
  const addresses = Array.from({ length: addressCount }, () => address(random))
  const insert = database.prepare(
    `INSERT INTO invoices (network, id, status, reported_status, reported_at, confirmed_at,
       currency, amount, received, overpayment, description, pay_to, paid_by, payment_link, comment,
       created_at, expires_at, changed_at, paid_at, first_seen_at, first_source, open_matters, raw)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  for (let from = 0; from < count; from += rowsInTransaction) {
    const to = Math.min(count, from + rowsInTransaction)
    transaction(database, () => {
      for (let number = from; number < to; number += 1) {
        const share = (number + 1) / count
        const createdAt = inSeconds(until - spanMs * (1 - share) - random() * minuteMs)
        const made = invoice(first + number, createdAt, until, random)
        const payTo = pick(addresses, random)
        const paidBy = made.isPayerKnown ? (payers[skewed(payerCount, random)] ?? null) : null
        const link =
          `https://app.tonkeeper.com/transfer/${receiver}?amount=${made.amount}` +
          `&text=${made.id}&exp=${made.expiresAt / secondMs}`
        const raw = JSON.stringify({
          id: made.id,
          status: made.status,
          amount: String(made.amount),
          currency: made.currency,
          description: made.description,
          date_create: createdAt / secondMs,
          date_expire: made.expiresAt / secondMs,
          date_change: made.changedAt / secondMs,
          payment_link: link,
          pay_to_address: payTo,
          ...(paidBy === null ? {} : { paid_by_address: paidBy }),
          ...(made.overpayment === 0 ? {} : { overpayment: String(made.overpayment) }),
        })
        // prettier-ignore
        insert.run(
          network, made.id, made.status, made.reported, made.reported === null ? null : createdAt,
          made.isConfirmed ? until : null, made.currency, made.amount, made.received,
          made.overpayment, made.description, payTo, paidBy, link, made.id, createdAt,
          made.expiresAt, made.changedAt, made.paidAt, createdAt,
          made.isConfirmed ? 'listing' : 'webhook', made.matters, raw,
        )
      }
    })
    onProgress?.(to)
  }
}

function invoice(number: number, createdAt: number, until: number, random: () => number) {
  const currency = random() < 0.6 ? 'TON' : 'USDT'
  const amount = price(currency, random)
  const expiresAt = createdAt + pick(lifetimesMs, random)
  const isOpen = expiresAt > until && random() < 0.6
  const luck = random()
  const status = isOpen ? 'pending' : luck < 0.72 ? 'paid' : luck < 0.93 ? 'expired' : 'cancelled'
  const changedAt = changeOf(status, { createdAt, expiresAt, until }, random)
  const isOverpaid = status !== 'pending' && random() < 0.01
  const overpayment = isOverpaid ? Math.round(amount * (0.01 + random() * 0.2)) : 0
  const isPartial = status !== 'paid' && !isOverpaid && random() < 0.005
  const isConfirmed = number % 5000 !== 17
  return {
    // The factor is odd, so that no two numbers below 2^32 give the same id.
    id: (Math.imul(number, 0x9e37_79b1) >>> 0).toString(16).padStart(8, '0'),
    currency,
    amount,
    expiresAt,
    status,
    changedAt,
    overpayment,
    description: description(number, random),
    isConfirmed,
    reported: isConfirmed ? null : status,
    isPayerKnown: status === 'paid' || overpayment > 0,
    paidAt: status === 'paid' ? changedAt : null,
    received:
      status === 'paid' ? amount + overpayment : isPartial ? Math.floor(amount / 2) : overpayment,
    matters: isPartial
      ? bitOf('partial')
      : overpayment === 0 || random() < 0.8
        ? 0
        : bitOf(
            status === 'paid'
              ? 'overpaid'
              : status === 'expired'
                ? 'paid-late'
                : 'paid-after-cancel',
          ),
  } as const
}

function changeOf(
  status: string,
  at: { readonly createdAt: number; readonly expiresAt: number; readonly until: number },
  random: () => number,
): number {
  const { createdAt, expiresAt, until } = at
  if (status === 'pending') return createdAt
  if (status === 'expired') return Math.max(createdAt, Math.min(expiresAt, until))
  // Most customers pay within minutes, some on the last day.
  const life = Math.min(expiresAt, until) - createdAt
  const after = Math.min(life, secondMs * Math.exp(1 + random() * 9))
  return createdAt + inSeconds(after)
}

/** Returns prices such as 4.9, 25 or 199.95 in minimal units, and a few large ones. */
function price(currency: string, random: () => number): number {
  const unit = currency === 'TON' ? 1e9 : 1e6
  const cents = Math.max(1, Math.round(100 * Math.exp(random() * 6)))
  const exact = random() < 0.05 ? Math.floor(random() * (unit / 100)) : 0
  return cents * (unit / 100) + exact
}

function description(number: number, random: () => number): string {
  if (number % 10_000 === 5) return pick(awkward, random)
  const luck = random()
  if (luck < 0.08) return ''
  if (luck < 0.2) return `${pick(cyrillic, random)} № ${100_000 + number}`
  const what = `${pick(words, random)} ${pick(words, random)}`
  if (luck < 0.7) return `Order ${100_000 + number}: ${what}`
  return `${what}, ${1 + Math.floor(random() * 12)} × ${pick(words, random)}, customer ${Math.floor(random() * 40_000)}`
}

/** Returns a random number of which a few are frequent and most are rare. */
function skewed(count: number, random: () => number): number {
  return Math.floor(count * random() ** 3)
}

function address(random: () => number): string {
  const hex = Array.from({ length: 8 }, () =>
    Math.floor(random() * 2 ** 32)
      .toString(16)
      .padStart(8, '0'),
  )
  return `0:${hex.join('')}`
}

function pick<T>(from: readonly T[], random: () => number): T {
  const picked = from[Math.floor(random() * from.length)]
  if (picked === undefined) throw new Error('There is nothing to pick from.')
  return picked
}

function inSeconds(ms: number): number {
  return Math.floor(ms / secondMs) * secondMs
}
