/** Writes a history export as a table or in the formats of accounting programs. */
import type { HistoryExport, HistoryFormat } from '../../../src-preload/contract/history-export.ts'
import { formatAmount, tonDecimals } from '../../../src-preload/domain/amount.ts'
import { type FiatCurrency, type RatePoint, fiatValue } from '../../../src-preload/domain/fiat.ts'
import {
  type Chunks,
  type Column,
  type Rows,
  csvFormat,
  formatCsv,
  formatText,
  jsonlFormat,
} from '../../exports/table.ts'
import { createZoneTimes } from '../../exports/zone-times.ts'
import { formatFriendly } from '../../ton/address.ts'
import type { AssetSums, StoredRow } from './store/history-exports.ts'

export type HistoryRow = StoredRow & {
  readonly peerLabel: string | null
  /** The rates of the row's asset at its time, and of the fee's coin; null if unknown. */
  readonly rate: RatePoint | null
  readonly feeRate: RatePoint | null
}

type Subject = Pick<
  HistoryExport,
  'network' | 'address' | 'view' | 'fiat' | 'from' | 'to' | 'assets' | 'notes'
> & {
  readonly sums: readonly AssetSums[]
  readonly testOnly: boolean
}

export const fileEndings: Readonly<Record<HistoryFormat, string>> = {
  csv: 'csv',
  jsonl: 'jsonl',
  xlsx: 'xlsx',
  koinly: 'koinly.csv',
  hledger: 'journal',
  beancount: 'beancount',
}

export function formatHistory(
  format: HistoryFormat,
  subject: Subject,
  rows: Rows<HistoryRow>,
): Chunks {
  switch (format) {
    case 'csv':
      return formatCsv(historyColumns(subject), rows)
    case 'jsonl': {
      const columns = historyColumns(subject)
      const toJson = (row: HistoryRow) =>
        Object.fromEntries(columns.map(({ name, value }) => [name, value(row)]))
      return formatText(jsonlFormat(toJson), rows)
    }
    case 'xlsx':
      return formatWorkbook(subject, rows)
    case 'koinly': {
      const times = createZoneTimes('UTC')
      const style = { separator: ',', decimalMark: '.', guard: plain, times }
      return formatText(csvFormat(koinlyColumns(subject), style), feesApart(rows))
    }
    case 'hledger':
      return formatText(hledgerFormat(subject), rows)
    case 'beancount':
      return formatText(beancountFormat(subject), rows)
  }
}

async function* formatWorkbook(subject: Subject, rows: Rows<HistoryRow>): Chunks {
  const { formatXlsx, tableSheet } = await import('../../exports/xlsx.ts')
  const times = createZoneTimes('UTC')
  const sums = tableSheet('Sums', sumColumns, batchOf(subject.assets), times)
  yield* formatXlsx([tableSheet('History', historyColumns(subject), rows, times), sums])
}

async function* batchOf<R>(rows: readonly R[]): Rows<R> {
  yield await Promise.resolve(rows)
}

/** Koinly's deposits have no fee, so the fee of an incoming row becomes a separate row. */
async function* feesApart(rows: Rows<HistoryRow>): Rows<HistoryRow> {
  for await (const batch of rows) {
    yield batch.flatMap((row) => {
      if (row.fee === '0' || BigInt(row.units) <= 0n) return [row]
      return [
        { ...row, fee: '0' },
        { ...row, units: '0' },
      ]
    })
  }
}

const columnOf =
  (kind: 'text' | 'amount') =>
  <R>(name: string, value: Column<R>['value']): Column<R> => ({ name, kind, value })
const [text, amount] = [columnOf('text'), columnOf('amount')]

type AssetNames = ReadonlyMap<string, { readonly symbol: string; readonly decimals: number }>

const assetsByKey = ({ sums }: Subject): AssetNames =>
  new Map(sums.map(({ asset, symbol, decimals }) => [asset, { symbol, decimals }]))

function historyColumns(subject: Subject): Column<HistoryRow>[] {
  const assets = assetsByKey(subject)
  const amountOf = ({ asset, units }: StoredRow) =>
    formatAmount(BigInt(units), assets.get(asset)?.decimals ?? 0)
  const isOfEvents = subject.view === 'events'
  const ofEvents: Column<HistoryRow>[] = [
    text('action', ({ action }) => action),
    text('description', (row) => row.sentence),
    text('transactions', (row) => row.transactions),
    text('spam', ({ isScam }) => (isScam ? 'yes' : 'no')),
  ]
  return [
    text('time', ({ at }) => isoSeconds(at)),
    text('lt', (row) => row.lt),
    text(isOfEvents ? 'event' : 'transaction', (row) => row.hash),
    text('direction', (row) => row.direction),
    text('counterparty', ({ peer }) => friendly(peer, subject)),
    text('counterparty_label', (row) => row.peerLabel),
    text('asset', ({ asset }) => assets.get(asset)?.symbol ?? asset),
    text('asset_id', (row) => row.asset),
    amount('amount', amountOf),
    amount('amount_units', (row) => row.units),
    amount('fee_ton', ({ fee }) => formatAmount(BigInt(fee), tonDecimals)),
    amount('fee_nanoton', (row) => row.fee),
    text('comment', (row) => row.comment),
    text('kind', (row) => row.kind),
    text('status', (row) => row.status),
    ...(isOfEvents ? ofEvents : []),
    ...(subject.fiat === null ? [] : fiatColumns(subject.fiat, assets)),
  ]
}

/** The value has the same sign as the amount. */
function fiatOf({ asset, units, rate }: HistoryRow, assets: AssetNames, fiat: FiatCurrency) {
  const size = BigInt(units)
  const decimals = assets.get(asset)?.decimals
  if (rate === null || decimals === undefined || size === 0n) return null
  const value = fiatValue(size < 0n ? -size : size, decimals, rate.rate, fiat)
  return size < 0n ? `-${value}` : value
}

/** The columns have the same names as in the files of invoices. */
function fiatColumns(fiat: FiatCurrency, assets: AssetNames): Column<HistoryRow>[] {
  const rateOf = ({ units, rate }: HistoryRow) => (units === '0' ? null : rate)
  return [
    amount('fiat_value', (row) => fiatOf(row, assets, fiat)),
    text('fiat_currency', () => fiat),
    amount('fiat_rate', (row) => rateOf(row)?.rate ?? null),
    text('fiat_rate_at', (row) => {
      const rate = rateOf(row)
      return rate && isoSeconds(rate.at)
    }),
    amount('fee_fiat_value', ({ fee, feeRate }) =>
      feeRate === null ? null : fiatValue(BigInt(fee), tonDecimals, feeRate.rate, fiat),
    ),
  ]
}

type Sums = HistoryExport['assets'][number]

const inAsset = (units: string | null, { decimals }: Sums) =>
  units === null ? null : formatAmount(BigInt(units), decimals)

const sumColumns: Column<Sums>[] = [
  text('asset', (sums) => sums.symbol),
  text('asset_id', (sums) => sums.key),
  amount('opening', (sums) => inAsset(sums.opening, sums)),
  amount('received', (sums) => inAsset(sums.received, sums)),
  amount('sent', (sums) => inAsset(sums.sent, sums)),
  amount('fees', (sums) => inAsset(sums.fees, sums)),
  amount('closing', (sums) => inAsset(sums.closing, sums)),
  amount('difference', (sums) => inAsset(sums.difference, sums)),
  text('reason', (sums) => sums.reason),
]

const isoSeconds = (at: number) => `${new Date(at).toISOString().slice(0, 19)}Z`
const day = (at: number) => new Date(at).toISOString().slice(0, 10)

function friendly(address: string | null, { testOnly }: Subject): string | null {
  if (address === null) return null
  return formatFriendly(address, { bounceable: false, testOnly })
}

/**
 * Accounting programs show an apostrophe as part of the text, so the first characters of a formula
 * are removed instead.
 */
const plain = (text: string): string => text.replace(/^[\s\ufeff'=+\-@|＝＋－＠]+/, '')

/**
 * Formats Koinly's universal format: one row has the amount sent or received, and the fee. A
 * transaction with only a fee is a payment with the label `cost`.
 */
function koinlyColumns(subject: Subject): Column<HistoryRow>[] {
  const assets = assetsByKey(subject)
  const names = commodities(subject, (symbol) => plain(oneLine(symbol)))
  const isFeeOnly = ({ units }: StoredRow) => BigInt(units) === 0n
  const part = (row: StoredRow, sign: 1n | -1n) => {
    if (isFeeOnly(row)) {
      return sign === -1n && row.fee !== '0' ? { units: BigInt(row.fee), asset: 'TON' } : null
    }
    const units = BigInt(row.units) * sign
    return units > 0n ? { units, asset: row.asset } : null
  }
  const amountOf = (sign: 1n | -1n) => (row: StoredRow) => {
    const moved = part(row, sign)
    return moved && formatAmount(moved.units, assets.get(moved.asset)?.decimals ?? 0)
  }
  const currencyOf = (sign: 1n | -1n) => (row: StoredRow) =>
    names.get(part(row, sign)?.asset ?? '') ?? null
  const fee = (row: StoredRow) => (isFeeOnly(row) || row.fee === '0' ? null : row.fee)
  const worthOf = (row: HistoryRow) =>
    subject.fiat === null ? null : fiatOf(row, assets, subject.fiat)
  return [
    text('Date', ({ at }) => `${isoSeconds(at).slice(0, 19).replace('T', ' ')} UTC`),
    amount('Sent Amount', amountOf(-1n)),
    text('Sent Currency', currencyOf(-1n)),
    amount('Received Amount', amountOf(1n)),
    text('Received Currency', currencyOf(1n)),
    amount('Fee Amount', (row) => {
      const paid = fee(row)
      return paid && formatAmount(BigInt(paid), tonDecimals)
    }),
    text('Fee Currency', (row) => (fee(row) === null ? null : 'TON')),
    amount('Net Worth Amount', (row) => worthOf(row)?.replace('-', '') ?? null),
    text('Net Worth Currency', (row) => (worthOf(row) === null ? null : subject.fiat)),
    text('Label', (row) => (isFeeOnly(row) && row.fee !== '0' ? 'cost' : null)),
    text('Description', (row) => describe(row, subject)),
    text('TxHash', (row) => row.hash),
  ]
}

function describe(row: HistoryRow, subject: Subject): string {
  // The sentence of an action already contains the parties and the comment.
  if (row.sentence !== null) return row.sentence.replace(/\.$/, '')
  const side = row.direction === 'in' ? 'from' : 'to'
  const peer = row.peerLabel ?? friendly(row.peer, subject)
  const parts = [row.kind.replaceAll('_', ' '), peer === null ? null : `${side} ${peer}`]
  if (row.status !== 'ok') parts.push('(failed)')
  if (row.comment !== null) parts.push(`– ${row.comment}`)
  return parts.filter((part) => part !== null).join(' ')
}

/**
 * Gives each asset one name. Anyone can name a jetton TON or USDT, so a name in use gets the end of
 * the jetton master's address, and a number if another jetton has that name too.
 */
function commodities({ sums }: Subject, clean: (symbol: string) => string): Map<string, string> {
  const taken = new Set<string>(['TON'])
  const names = new Map<string, string>([['TON', 'TON']])
  for (const { asset, symbol } of sums) {
    if (names.has(asset)) continue
    const end = asset.slice(-6).toUpperCase().replace(':', '')
    const name = clean(symbol) || 'JETTON'
    let own = name
    for (let tries = 1; taken.has(own.toUpperCase()); tries += 1) {
      own = `${name}-${end}${tries === 1 ? '' : `-${tries}`}`
    }
    taken.add(own.toUpperCase())
    names.set(asset, own)
  }
  return names
}

type Posting = { readonly units: bigint; readonly asset: string; readonly account: string }

/**
 * Formats the postings of a row: its change, and the source or destination of the amount. The
 * postings of each asset add up to zero.
 */
function postingsOf(row: StoredRow, accounts: Readonly<Record<'own' | 'fees' | 'others', string>>) {
  const units = BigInt(row.units)
  const fee = BigInt(row.fee)
  const postings: Posting[] = []
  if (units !== 0n) {
    postings.push({ units, asset: row.asset, account: accounts.own })
    postings.push({ units: -units, asset: row.asset, account: accounts.others })
  }
  if (fee !== 0n) {
    postings.push({ units: -fee, asset: 'TON', account: accounts.own })
    postings.push({ units: fee, asset: 'TON', account: accounts.fees })
  }
  return postings
}

const oneLine = (text: string) => text.replace(/[\p{C}\s]+/gu, ' ').trim()

type JournalStyle = {
  readonly accounts: Parameters<typeof postingsOf>[1]
  /** The indentation of a posting. */
  readonly indent: string
  readonly amount: (units: bigint, asset: string) => string
  /** The account that opening balances come from. */
  readonly equity: string
  readonly opening: (at: number, postings: string) => string
  /** The text above the postings. */
  readonly head: (row: HistoryRow) => string
  readonly closing: (last: number) => string
}

function journalFormat(subject: Subject, style: JournalStyle) {
  const { accounts, indent, amount: format, equity } = style
  const formatPostings = (postings: readonly Posting[]) =>
    postings
      .map(({ units, asset, account }) => `${indent}${account}  ${format(units, asset)}\n`)
      .join('')
  const opening = closings(subject).flatMap(({ key: asset, opening: units }) =>
    units === 0n
      ? []
      : [
          { units, asset, account: accounts.own },
          { units: -units, asset, account: equity },
        ],
  )
  let last: number | null = null
  return {
    begin: `; History of ${subject.address}, exported by Tondesk. Times are UTC.\n${subject.notes.map((note) => `; ${oneLine(note)}\n`).join('')}\n`,
    row(row: HistoryRow) {
      const before = last === null ? style.opening(row.at, formatPostings(opening)) : ''
      last = row.at
      const postings = formatPostings(postingsOf(row, accounts))
      return postings === '' ? before : `${before}${style.head(row)}\n${postings}\n`
    },
    end: () => (last === null ? '' : style.closing(last)),
  }
}

function amountFormat(
  subject: Subject,
  names: ReadonlyMap<string, string>,
  quote: (name: string) => string,
) {
  const assets = assetsByKey(subject)
  return (units: bigint, asset: string) =>
    `${formatAmount(units, assets.get(asset)?.decimals ?? 0)} ${quote(names.get(asset) ?? asset)}`
}

/** Balances that are known, which the file asserts. */
const closings = ({ assets }: Subject) =>
  assets.flatMap(({ key, opening, closing }) =>
    opening === null || closing === null
      ? []
      : [{ key, opening: BigInt(opening), closing: BigInt(closing) }],
  )

function hledgerFormat(subject: Subject) {
  const id = subject.address.slice(-6)
  const accounts = {
    own: `assets:ton:${subject.network}-${id}`,
    fees: 'expenses:ton fees',
    others: 'equity:ton transfers',
  }
  const names = commodities(subject, (symbol) => oneLine(symbol).replace(/["\n;]/g, ''))
  const format = amountFormat(subject, names, (name) => `"${name}"`)
  return journalFormat(subject, {
    accounts,
    indent: '    ',
    amount: format,
    equity: 'equity:opening balances',
    opening: (at, postings) =>
      postings === '' ? '' : `${day(at)} opening balances\n${postings}\n`,
    head(row) {
      const title = oneLine(describe(row, subject)).replaceAll(';', ',').replaceAll('|', '/')
      return `${day(row.at)} * ${title}\n    ; time:${isoSeconds(row.at)}, lt:${row.lt}, transaction:${row.hash}`
    },
    closing(last) {
      const lines = closings(subject).map(
        ({ key, closing }) => `    ${accounts.own}  ${format(0n, key)} = ${format(closing, key)}\n`,
      )
      if (lines.length === 0) return ''
      return `${day(last)} * balances as the gateway reports them\n${lines.join('')}`
    },
  })
}

/**
 * Formats a commodity of at most 24 upper-case letters, digits and some marks. A single letter
 * would be a flag of a transaction.
 */
function beancountCommodity(symbol: string): string {
  const clean = symbol
    .toUpperCase()
    .replace(/[^A-Z0-9'._-]/g, '')
    .replace(/^[^A-Z]+/, '')
  const name = clean.slice(0, 14).replace(/[^A-Z0-9]+$/, '')
  return name.length < 2 ? '' : name
}

function beancountFormat(subject: Subject) {
  const network = subject.network.charAt(0).toUpperCase() + subject.network.slice(1)
  const id = subject.address.slice(-6).toUpperCase()
  const accounts = {
    own: `Assets:Ton:${network}-${id}`,
    fees: 'Expenses:TonFees',
    others: 'Equity:TonTransfers',
  }
  const equity = 'Equity:TonOpening'
  const names = commodities(subject, beancountCommodity)
  const format = amountFormat(subject, names, (name) => name)
  const quoted = (value: string) =>
    `"${oneLine(value).replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
  return journalFormat(subject, {
    accounts,
    indent: '  ',
    amount: format,
    equity,
    opening(at, postings) {
      const open = [...Object.values(accounts), equity].map((each) => `${day(at)} open ${each}\n`)
      const balances = postings === '' ? '' : `\n${day(at)} * "Opening balances"\n${postings}`
      return `${open.join('')}${balances}\n`
    },
    head: (row) =>
      `${day(row.at)} * ${quoted(describe(row, subject))}\n  time: "${isoSeconds(row.at)}"\n  lt: "${row.lt}"\n  transaction: "${row.hash}"`,
    closing(last) {
      // A balance assertion applies to the start of its day.
      const next = day(last + 24 * 60 * 60 * 1000)
      return closings(subject)
        .map(({ key, closing }) => `${next} balance ${accounts.own}  ${format(closing, key)}\n`)
        .join('')
    },
  })
}
