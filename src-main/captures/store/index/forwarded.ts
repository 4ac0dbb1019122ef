import type { Database } from '../../../database/database.ts'
import type { ForwardState } from './index-plan.ts'

/** As forward_deliveries has them, the worst first. */
const states = { dropped: 3, failed: 1, waiting: 0, delivered: 2 } as const
const worstFirst: readonly (keyof typeof states)[] = ['dropped', 'failed', 'waiting', 'delivered']

/** Of one capture: no row where no rule took it. */
export const forwardSummarySql = `
  SELECT CASE max(CASE state WHEN 3 THEN 3 WHEN 1 THEN 2 WHEN 0 THEN 1 ELSE 0 END)
      WHEN 3 THEN 'dropped' WHEN 2 THEN 'failed' WHEN 1 THEN 'waiting' ELSE 'delivered' END AS summary
  FROM log.forward_deliveries WHERE capture_id = ? HAVING count(*) > 0`

/** Few of them are held at once; many are looked up one by one. */
const fewRows = 50_000

/** A condition on `$id`: how sending a capture on went, to all its targets together. */
export function forwardedSql(database: Database, state: ForwardState): string {
  if (state === 'no') {
    return 'NOT EXISTS (SELECT 1 FROM log.forward_deliveries f WHERE f.capture_id = $id)'
  }
  return `${inState(database, states[state])} AND ${noneWorse(database, state)}`
}

/**
 * A table of captures, `capture_id`, in which each stands once that has a target in this state; null
 * where looking at every capture is as good.
 */
export function forwardedTable(asked: readonly ForwardState[]): string | null {
  const [state, ...rest] = asked
  if (state === undefined || state === 'no' || rest.length > 0) return null
  return `(SELECT DISTINCT capture_id FROM log.forward_deliveries WHERE state = ${states[state]})`
}

/** A condition on `$id`: no target is worse off. */
export function noneWorse(database: Database, state: Exclude<ForwardState, 'no'>): string {
  const worse = worstFirst.slice(0, worstFirst.indexOf(state))
  return ['TRUE', ...worse.map((each) => `NOT ${inState(database, states[each])}`)].join(' AND ')
}

function inState(database: Database, state: number): string {
  const rows = database
    .prepare(
      `SELECT count(*) AS n FROM
         (SELECT 1 FROM log.forward_deliveries WHERE state = ? LIMIT ${fewRows + 1})`,
    )
    .get(state)
  const ofState = `log.forward_deliveries f WHERE f.state = ${state}`
  return Number(rows?.['n']) > fewRows
    ? `EXISTS (SELECT 1 FROM ${ofState} AND f.capture_id = $id)`
    : `($id IN (SELECT f.capture_id FROM ${ofState}))`
}
