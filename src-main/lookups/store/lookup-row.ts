import type { LookupRow } from '../../../src-preload/contract/lookup.ts'
import { type Codec, flag, int64Text, json } from '../../database/sql.ts'

/** A row as it is kept: whose label it bears is known elsewhere. */
export type StoredRow = Omit<LookupRow, 'label'>

export const rowColumns = `idx AS "index", line, text, state, reason, address, status, balance,
  in_currency, wallet_kind, interfaces, last_activity, name, flags & 1 <> 0 AS is_scam,
  flags & 2 <> 0 AS is_suspended, flags & 4 <> 0 AS memo_required, changes, others`

const texts: Codec<readonly string[]> = {
  decode: (stored) => (stored === '' ? [] : String(stored).split('\n')),
  encode: (value) => value.join('\n'),
}

/** Of `rowColumns`: a balance may pass 2^53. */
export const rowCodecs = {
  balance: int64Text,
  interfaces: json,
  others: json,
  changes: texts,
  memoRequired: flag,
}
