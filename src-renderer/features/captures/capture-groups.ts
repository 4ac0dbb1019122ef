/** Groups the loaded captures of one trace, so that a payment is one row. */
import type { CaptureRow } from '../../../src-preload/contract/capture.ts'

/** A capture's part in its payment. It outlives the row, which may leave the memory. */
export type Delivery = NonNullable<CaptureRow['payment']> & { readonly weight: number }

type Group = {
  readonly trace: string
  /** Loaded captures; the first stands for the payment. */
  readonly ids: readonly number[]
  /** Captures of the trace, those included that are not loaded or do not match the query. */
  readonly deliveries: number
  readonly isExpanded: boolean
}

export type Shown = {
  readonly ids: readonly number[]
  /** The newest loaded capture of each row's group, which decides the place of the group. */
  readonly anchors: readonly number[]
  /** The row of each loaded capture; that of its group while the group is collapsed. */
  readonly places: ReadonlyMap<number, number>
  readonly groups: ReadonlyMap<number, Group>
}

/** The captures that a row stands for. */
export function idsOfRow({ groups }: Shown, id: number): readonly number[] {
  const group = groups.get(id)
  return group === undefined || group.isExpanded ? [id] : group.ids
}

export const nothingShown: Shown = { ids: [], anchors: [], places: new Map(), groups: new Map() }

/** Ranks what the recipient got highest, and the event of an account above its announcement. */
export function weightOf({ kind, meaning: { amount, comment, invoice } }: CaptureRow): number {
  const reasons = [kind === 'account_tx', amount?.direction === 'in', comment, amount?.asset.jetton]
  return [...reasons, invoice].reduce<number>((sum, each, at) => sum + (each ? 2 ** at : 0), 0)
}

/** @param ids loaded captures, newest first */
export function groupCaptures(
  ids: readonly number[],
  deliveries: ReadonlyMap<number, Delivery>,
  expanded: ReadonlySet<string>,
): Shown {
  // The keys are in the order of the newest capture of each; a capture without a payment is its own key.
  const byTrace = Map.groupBy(ids, (id) => deliveries.get(id)?.trace ?? id)
  const shown = { ids: [] as number[], anchors: [] as number[] }
  const places = new Map<number, number>()
  const groups = new Map<number, Group>()
  for (const [trace, members] of byTrace) {
    const [anchor = 0] = members
    const rank = (id: number) => deliveries.get(id)?.weight ?? 0
    const first = members.reduce((best, id) => (rank(id) >= rank(best) ? id : best))
    const listed = [first, ...members.filter((id) => id !== first)]
    const isExpanded = typeof trace === 'string' && expanded.has(trace)
    for (const id of listed) {
      if (id === first || isExpanded) {
        shown.ids.push(id)
        shown.anchors.push(anchor)
      }
      places.set(id, shown.ids.length - 1)
    }
    // Rows fetched earlier have an older count.
    const known = (id: number) => deliveries.get(id)?.deliveries ?? 1
    const count = members.reduce((most, id) => Math.max(most, known(id)), members.length)
    if (count === 1 || typeof trace === 'number') continue
    const group = { trace, ids: listed, deliveries: count, isExpanded }
    for (const id of listed) groups.set(id, group)
  }
  return { ...shown, places, groups }
}

/** A collapsed payment as one row: what deserves attention in one of its deliveries shows in it. */
export function mergeDeliveries(row: CaptureRow, others: readonly CaptureRow[]): CaptureRow {
  const all = [row, ...others]
  const worst = (rank: (each: CaptureRow) => number) =>
    all.reduce((before, each) => (rank(each) > rank(before) ? each : before))
  const failed = worst(({ meaning }) => Number(meaning.success === false)).meaning
  return {
    ...row,
    status: worst(({ origin, status }) => (origin === 'received' ? (status ?? Infinity) : 0))
      .status,
    forward: worst(({ forward }) => forwardRanks.indexOf(forward)).forward,
    token: worst(({ token }) => Number(token === 'wrong' || token === 'missing')).token,
    outOfOrder: all.some(({ outOfOrder }) => outOfOrder),
    pinned: all.some(({ pinned }) => pinned),
    note: all.find(({ note }) => note !== '')?.note ?? '',
    meaning: { ...row.meaning, success: failed.success, exitCode: failed.exitCode },
  }
}

const forwardRanks = [null, 'delivered', 'waiting', 'dropped', 'failed']
