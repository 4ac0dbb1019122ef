import { z } from 'zod'
import { accountStatus } from './chain/account.ts'
import { asset } from './chain/references.ts'
import { networkId } from './network.ts'
import { takes, byId, page, orNull } from './route.ts'

/** Maximum number of addresses in one list; further addresses are counted and reported. */
export const maxLookupAddresses = 100_000

export const maxLookupNames = 1_000

export const maxLookupJettons = 10

const lookupJetton = asset.pick({ symbol: true, decimals: true, scale: true }).extend({
  /** The address of the jetton's minter. */
  address: z.string(),
  name: z.string(),
  verification: z.string(),
})
export type LookupJetton = z.infer<typeof lookupJetton>

const lineStatus = z.enum(['valid', 'duplicate', 'wrong-network', 'invalid'])
export type LineStatus = z.infer<typeof lineStatus>

/** A valid address or an invalid entry. Every entry of the list becomes a line. */
const lookupLine = z.object({
  index: z.int().nonnegative(),
  line: z.int().positive(),
  text: z.string(),
  status: lineStatus,
  /** Null if the entry is invalid, and for a name that is not resolved yet. */
  address: z.string().nullable(),
  others: z.array(z.string()),
  reason: z.string().nullable(),
})
export type LookupLine = z.infer<typeof lookupLine>

const lineCounts = z.object({
  valid: z.int(),
  duplicate: z.int(),
  wrongNetwork: z.int(),
  invalid: z.int(),
  lines: z.int(),
  beyond: z.int(),
})
export type LineCounts = z.infer<typeof lineCounts>

/** A parsed list before its lookup, kept in memory until it is used or replaced. */
const lookupDraft = z.object({
  id: z.string(),
  network: networkId,
  counts: lineCounts,
  problems: z.array(lookupLine),
  isFull: z.boolean(),
  remarks: z.array(z.string()),
})
export type LookupDraft = z.infer<typeof lookupDraft>

export const jobState = z.enum(['running', 'paused', 'done', 'cancelled', 'failed'])
export type JobState = z.infer<typeof jobState>

/** The common fields of all jobs with a rate. */
export const jobFields = {
  id: z.int().positive(),
  state: jobState,
  problem: z.string().nullable(),
  rate: z.number().nullable(),
  secondsLeft: z.number().nullable(),
}

export const lookupJob = z.object({
  ...jobFields,
  network: networkId,
  name: z.string(),
  createdAt: z.int(),
  finishedAt: z.int().nullable(),
  counts: lineCounts,
  answered: z.int(),
  /** Number of addresses that the gateway refused or omitted. */
  failed: z.int(),
  /** The currency for `currencies_balance`; null for none. */
  currency: z.string().nullable(),
  columns: z.array(z.string()),
  jettons: z.array(lookupJetton),
  /** Number of addresses per request; null until the gateway's limit is known. */
  chunk: z.int().nullable(),
  requests: z.int(),
  comparedTo: z.int().nullable(),
})
export type LookupJob = z.infer<typeof lookupJob>

const lookupRow = z.object({
  index: z.int().nonnegative(),
  line: z.int().positive(),
  text: z.string(),
  state: z.enum(['waiting', 'answered', 'failed', 'duplicate', 'wrong-network', 'invalid']),
  reason: z.string().nullable(),
  address: z.string().nullable(),
  others: z.array(z.string()),
  label: z.string().nullable(),
  status: accountStatus.nullable(),
  balance: z.string().nullable(),
  /** The balance in the job's currency, as the gateway's decimal fraction. */
  inCurrency: z.string().nullable(),
  walletKind: z.string().nullable(),
  interfaces: z.array(z.string()),
  lastActivity: z.int().nullable(),
  name: z.string().nullable(),
  isScam: z.boolean(),
  isSuspended: z.boolean(),
  memoRequired: z.boolean(),
  /** Wallets that were read. `place` is the index of the jetton in the job's list. */
  jettons: z.array(
    z.object({
      place: z.int().nonnegative(),
      wallet: z.string().nullable(),
      /** The amount in minimal units; null if there is a problem. */
      balance: z.string().nullable(),
      problem: z.string().nullable(),
    }),
  ),
  /** Changes since the compared job, such as "balance +1.5 TON". */
  changes: z.array(z.string()),
})
export type LookupRow = z.infer<typeof lookupRow>

const rowFilter = z.object({
  state: orNull(lookupRow.shape.state),
  status: orNull(accountStatus),
  onlyChanged: z.boolean().default(false),
  onlyFlagged: z.boolean().default(false),
  text: z.string().max(200).default(''),
})
export type RowFilter = z.infer<typeof rowFilter>

const rowSort = z.object({
  by: z
    .union([
      z.enum(['index', 'balance', 'inCurrency', 'lastActivity', 'status', 'name', 'walletKind']),
      /** The balance of the jetton with this index. */
      z.templateLiteral([
        'jetton',
        z
          .int()
          .min(0)
          .max(maxLookupJettons - 1),
      ]),
    ])
    .default('index'),
  descending: z.boolean().default(false),
})
export type RowSort = z.infer<typeof rowSort>

export const exportFormat = z.enum(['csv', 'json', 'xlsx'])
export type ExportFormat = z.infer<typeof exportFormat>

/** A file that the main process wrote; the window reads it in pieces and saves it. */
export const exportFile = z.object({ id: z.string(), name: z.string(), bytes: z.int() })
export type ExportFile = z.infer<typeof exportFile>

const filter = rowFilter.prefault({})
const sort = rowSort.prefault({})
const draft = { draft: z.string() }

export const lookupRoutes = {
  /** Begins a list and drops the earlier draft that `replaces` names. */
  'lookup.begin': takes({ network: networkId, replaces: orNull(z.string()) }).returns(lookupDraft),
  'lookup.append': takes({
    ...draft,
    piece: z.union([
      z.object({ text: z.string().max(700_000) }),
      z.object({ base64: z.base64().max(950_000) }),
    ]),
    isLast: z.boolean(),
  }).returns(lookupDraft),
  'lookup.draftLines': takes({
    ...draft,
    status: orNull(lineStatus),
    ...page,
  }).returns({ total: z.int(), lines: z.array(lookupLine) }),
  'lookup.start': takes({
    ...draft,
    name: z.string().trim().max(100).default(''),
    currency: orNull(z.string().regex(/^[a-z]{3,8}$/)),
    /** Addresses of minters, or links that contain them. */
    jettons: z.array(z.string().max(500)).max(maxLookupJettons).default([]),
  }).returns(lookupJob),
  /**
   * Checks with three requests that Tondesk can compute the wallets of a jetton.
   * @throws AppError LOOKUP_JETTON_REFUSED with the reason
   */
  'lookup.jetton': takes({ network: networkId, text: z.string().max(500) }).returns(lookupJetton),
  /** Returns jettons of the network's earlier lookups, the latest first, and the maximum number in a lookup. */
  'lookup.usedJettons': takes({ network: networkId }).returns(
    z.object({ jettons: z.array(lookupJetton), most: z.int() }),
  ),
  'lookup.rerun': takes(byId).returns(lookupJob),
  'lookup.rows': takes({ ...byId, filter, sort, ...page }).returns({
    total: z.int(),
    rows: z.array(lookupRow),
    sums: z.object({
      balance: z.string(),
      inCurrency: z.string().nullable(),
      /** Sums in minimal units, by index of the jetton; empty while the lookup is running. */
      jettons: z.array(z.string()),
      byStatus: z.record(z.string(), z.int()),
      changed: z.int(),
    }),
  }),
  'lookup.export': takes({ ...byId, format: exportFormat, filter, sort }).returns(exportFile),
  /** The file is deleted when it has been read to its end, and when the app ends. */
  'export.read': takes({ id: z.string(), offset: z.int().nonnegative() }).returns({
    base64: z.string(),
    next: z.int().nullable(),
  }),
} as const
