import type { Database } from '../../../database/database.ts'

/** What is learnt of a capture later; numbers are ids of terms, null where it is not known. */
export type LateTraits = {
  readonly network: number | null
  readonly meaning: number | null
  readonly asset: number | null
  /** In units of the asset; no more than SQLite's integers hold. */
  readonly amount: bigint | null
  readonly direction: number | null
  readonly opcode: number | null
  readonly exit: number | null
  readonly success: number | null
  /** A digest of the words that were learnt later; null where there are none. */
  readonly told: bigint | null
}

export type Traits = LateTraits & {
  readonly receivedAt: number
  readonly isReceived: boolean
  readonly lt: bigint | null
  readonly size: number
  readonly took: number
}

export type TraitsWriter = {
  add(id: number, traits: Traits): void
  update(id: number, traits: LateTraits): void
  /** Undefined where there is no such capture. */
  told(id: number): bigint | null | undefined
  /** Removes these but the ones kept; to be called while their facts are still there. */
  removeRange(from: number, to: number, kept: ReadonlySet<number>): void
}

const late = [
  'network',
  'meaning',
  'asset',
  'amount',
  'direction',
  'opcode',
  'exit',
  'success',
  'told',
]

export function createTraitsWriter(database: Database): TraitsWriter {
  const insert = database.prepare(
    `INSERT OR REPLACE INTO traits (id, received_at, is_received, lt, size, took, ${late.join(', ')})
     VALUES (?, ?, ?, ?, ?, ?, ${late.map(() => '?').join(', ')})`,
  )
  const update = database.prepare(
    `UPDATE traits SET ${late.map((name) => `${name} = ?`).join(', ')} WHERE id = ?`,
  )
  const told = database.prepare('SELECT told FROM traits WHERE id = ?')
  told.setReadBigInts(true)
  const remove = database.prepare('DELETE FROM traits WHERE id = ?')
  const ids = database.prepare('SELECT id FROM facts WHERE id BETWEEN ? AND ?')

  const lateOf = (traits: LateTraits) => [
    traits.network,
    traits.meaning,
    traits.asset,
    traits.amount,
    traits.direction,
    traits.opcode,
    traits.exit,
    traits.success,
    traits.told,
  ]

  return {
    add(id, traits) {
      const { receivedAt, isReceived, lt, size, took } = traits
      insert.run(id, receivedAt, Number(isReceived), lt, size, took, ...lateOf(traits))
    },
    update(id, traits) {
      update.run(...lateOf(traits), id)
    },
    told(id) {
      const row = told.get(id)
      return row === undefined ? undefined : (row['told'] as bigint | null)
    },
    removeRange(from, to, kept) {
      for (const { id } of ids.all(from, to)) if (!kept.has(Number(id))) remove.run(id ?? null)
    },
  }
}
