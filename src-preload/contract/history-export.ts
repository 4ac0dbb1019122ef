import { z } from 'zod'
import { fiatCurrencies } from '../domain/fiat.ts'
import { historyView } from './chain/account.ts'
import { jobFields, exportFile } from './lookup.ts'
import { networkId } from './network.ts'
import { addressText, byId, moment, orNull, takes } from './route.ts'

const units = z.string().regex(/^-?\d+$/)

/** Sums over the rows of one asset. Amounts are decimal strings of minimal units. */
const historyAsset = z.object({
  /** `TON`, the raw address of a jetton's master, or `extra:` and the id of an extra currency. */
  key: z.string(),
  symbol: z.string(),
  decimals: z.int(),
  received: units,
  /** The amount sent, without fees. */
  sent: units,
  /** Fees in nanotons; zero for other assets. */
  fees: units,
  /** Null while the history is being read. */
  opening: units.nullable(),
  closing: units.nullable(),
  /**
   * The change of balance minus the sum of the rows; zero if they are equal. Null if unknown, because the
   * history is still being read, or because the gateway does not report the balance at the start of the period.
   */
  difference: units.nullable(),
  /** Sentences that say why there is a difference, or why it is unknown. */
  reason: z.string().nullable(),
})
export type HistoryAsset = z.infer<typeof historyAsset>

export const historyExport = z.object({
  ...jobFields,
  network: networkId,
  /** The raw address of the account. */
  address: z.string(),
  label: z.string().nullable(),
  /** The source of the rows. */
  view: historyView,
  /** The currency of values in the files, from the settings when the export began. */
  fiat: z.enum(fiatCurrencies).nullable(),
  createdAt: moment,
  finishedAt: moment.nullable(),
  /** The period in milliseconds of the chain's time, both inclusive; `from` is null for the whole history. */
  from: moment.nullable(),
  to: moment,
  rows: z.int(),
  /** The number of transactions in the period, or of events if the rows are made from events. */
  transactions: z.int(),
  requests: z.int(),
  /** Number of contracts: the account and its jetton wallets. */
  contracts: z.int(),
  contractsRead: z.int(),
  /** Empty until the balances have been compared. */
  assets: z.array(historyAsset),
  /** Sentences about missing data: pruned history, unreadable transactions or events. */
  notes: z.array(z.string()),
})
export type HistoryExport = z.infer<typeof historyExport>

export const historyFormat = z.enum(['csv', 'jsonl', 'xlsx', 'koinly', 'hledger', 'beancount'])
export type HistoryFormat = z.infer<typeof historyFormat>

export const historyExportRoutes = {
  'historyExport.start': takes({
    network: networkId,
    address: addressText,
    from: orNull(moment),
    to: orNull(moment),
    view: historyView.default('transactions'),
    /** Continues an unfinished export of the same account, rows and period, if there is one. */
    resumes: z.boolean().default(false),
  }).returns(historyExport),
  /**
   * Returns an asset's balance at the end of each step of the period; none until the balances have
   * been compared.
   */
  'historyExport.balances': takes({ ...byId, asset: z.string().max(200) }).returns({
    stepMs: z.int(),
    steps: z.array(z.object({ startsAt: moment, units })),
  }),
  /** Writes the rows read so far to a file, the oldest first. */
  'historyExport.write': takes({ ...byId, format: historyFormat }).returns(exportFile),
} as const
