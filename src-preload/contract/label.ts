import { z } from 'zod'
import { networkId } from './network.ts'
import { takes } from './route.ts'

const label = z.object({
  network: networkId,
  address: z.string(),
  name: z.string(),
  note: z.string(),
  changedAt: z.int(),
})
export type Label = z.infer<typeof label>

const labelImport = z.object({
  added: z.int(),
  changed: z.int(),
  unchanged: z.int(),
  /** The first thousand refused lines. */
  refused: z.array(z.object({ line: z.int(), text: z.string(), reason: z.string() })),
  refusedCount: z.int(),
})
export type LabelImport = z.infer<typeof labelImport>

export const labelRoutes = {
  'label.list': takes({
    network: networkId,
    /** Matches a part of the name or note, or an address in any form. */
    text: z.string().max(200).default(''),
    offset: z.int().nonnegative().default(0),
    limit: z.int().min(1).max(500).default(100),
  }).returns({ total: z.int(), labels: z.array(label) }),
  /** An empty name deletes the label. */
  'label.set': takes({
    network: networkId,
    address: z.string().trim().min(1).max(100),
    name: z.string().trim().max(100, 'At most 100 characters.'),
    note: z.string().trim().max(1000, 'At most 1000 characters.').default(''),
  }).returns(label.nullable()),
  /** CSV with the columns address, name and optionally note; a header line is recognized. */
  'label.import': takes({ network: networkId, csv: z.string().max(900_000) }).returns(labelImport),
  /** Returns CSV that `label.import` can read and in which no spreadsheet runs a formula. */
  'label.export': takes({ network: networkId }).returns({ csv: z.string() }),
} as const
