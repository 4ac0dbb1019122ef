import type {
  ExportFormat,
  LookupJetton,
  LookupJob,
  LookupRow,
} from '../../src-preload/contract/lookup.ts'
import { formatAmount, formatAssetAmount, tonDecimals } from '../../src-preload/domain/amount.ts'
import { type Chunks, type Column, type Rows, formatCsv, formatText } from '../exports/table.ts'
import { createZoneTimes } from '../exports/zone-times.ts'
import { formatFriendly } from '../ton/address.ts'
import { formatJson } from '../ton/lossless-json.ts'

export type ExportRow = Omit<LookupRow, 'jettons'> & {
  readonly jettons: readonly (LookupRow['jettons'][number] & {
    readonly jetton: string
    /** An exact decimal with a point. */
    readonly amount: string | null
  })[]
  /** The address in the form that a wallet displays; bounceable for contracts. */
  readonly friendly: string | null
  /** An exact decimal with a point. */
  readonly balanceTon: string | null
}

export function toExportRow(
  row: LookupRow,
  testOnly: boolean,
  jettons: readonly LookupJetton[],
): ExportRow {
  const bounceable = row.status === 'active' && row.walletKind === null
  return {
    ...row,
    jettons: row.jettons.flatMap((one) => {
      const asset = jettons[one.place]
      if (asset === undefined) return []
      const amount = one.balance === null ? null : formatAssetAmount(BigInt(one.balance), asset)
      return [{ ...one, jetton: asset.address, amount }]
    }),
    friendly: row.address === null ? null : formatFriendly(row.address, { bounceable, testOnly }),
    balanceTon: row.balance === null ? null : formatAmount(row.balance, tonDecimals),
  }
}

/** @param columns names of the other columns in the list */
export function lookupColumns(
  currency: string | null,
  columns: readonly string[],
  jettons: readonly LookupJetton[],
): Column<ExportRow>[] {
  type Value = Column<ExportRow>['value']
  const text = (name: string, value: Value) => ({ name, kind: 'text' as const, value })
  const number = (name: string, value: Value) => ({ name, kind: 'number' as const, value })
  return [
    number('line', (row) => row.line),
    text('given', (row) => row.text),
    text('state', (row) => row.state),
    text('reason', (row) => row.reason),
    text('address', (row) => row.address),
    text('friendly', (row) => row.friendly),
    text('label', (row) => row.label),
    text('status', (row) => row.status),
    number('balance_ton', (row) => row.balanceTon),
    number('balance_nanoton', (row) => row.balance),
    ...(currency === null ? [] : [number(`balance_${currency}`, (row) => row.inCurrency)]),
    ...jettons.flatMap(({ address }, place) => {
      const name = jettonName(jettons, place, currency)
      const of = (row: ExportRow) => row.jettons.find(({ jetton }) => jetton === address)
      return [
        number(`balance_${name}`, (row) => of(row)?.amount ?? null),
        number(`units_${name}`, (row) => of(row)?.balance ?? null),
        text(`problem_${name}`, (row) => of(row)?.problem ?? null),
      ]
    }),
    text('wallet', (row) => row.walletKind),
    text('interfaces', (row) => row.interfaces.join(' ')),
    text('last_activity', ({ lastActivity }) =>
      lastActivity === null ? null : new Date(lastActivity).toISOString(),
    ),
    text('name', (row) => row.name),
    text('flags', flagsOf),
    text('changes', (row) => row.changes.join('; ')),
    ...columns.map((name, index) => text(`given_${name}`, (row) => row.others[index] ?? null)),
  ]
}

const shownEnd = 6

/** The jetton's symbol, with the end of the minter's address if another column could have the same name. */
function jettonName(
  jettons: readonly LookupJetton[],
  place: number,
  currency: string | null,
): string {
  const { symbol = '', address = '' } = jettons[place] ?? {}
  const name = symbol.toLowerCase()
  const isTaken = ['ton', 'nanoton', currency].includes(name)
  const isShared = jettons.some((each, at) => at !== place && each.symbol.toLowerCase() === name)
  return isTaken || isShared ? `${symbol}_${address.slice(-shownEnd)}` : symbol
}

function flagsOf({ isScam, isSuspended, memoRequired }: ExportRow): string {
  const flags = [isScam && 'scam', isSuspended && 'suspended', memoRequired && 'memo required']
  return flags.filter((flag) => flag !== false).join(', ')
}

export async function* formatLookup(
  format: ExportFormat,
  head: Pick<LookupJob, 'network' | 'name' | 'createdAt' | 'currency' | 'columns' | 'jettons'>,
  rows: Rows<ExportRow>,
): Chunks {
  const { network, name, createdAt, currency, columns, jettons } = head
  const table = lookupColumns(currency, columns, jettons)
  switch (format) {
    case 'csv':
      yield* formatCsv(table, rows)
      return
    case 'json': {
      const begin = formatJson({ network, name, createdAt, currency, columns, jettons })
      yield* formatText(
        {
          begin: `${begin.slice(0, -1)},"rows":[`,
          row: (row, index) => `${index === 0 ? '\n' : ',\n'}${formatJson(row)}`,
          end: () => '\n]}\n',
        },
        rows,
      )
      return
    }
    case 'xlsx': {
      const { formatXlsx, tableSheet } = await import('../exports/xlsx.ts')
      yield* formatXlsx([tableSheet('Lookup', table, rows, createZoneTimes('UTC'))])
    }
  }
}
