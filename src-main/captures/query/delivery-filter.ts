import type { DeliveryFilter } from './delivery.ts'
import { createMatcher } from './matches.ts'
import { requireQuery } from './read-query.ts'
import type { Names } from './values/read-value.ts'

/**
 * A rule's filter: the language of queries, of what is known of a delivery when the rule is asked.
 * An empty text takes everything. Words are whole ones; `word*` finds what begins so.
 * @param stage `arrival` is before it was compared with other deliveries: no `duplicate:`, no `order:`
 * @param now milliseconds since the epoch, for `received:today`
 * @throws AppError QUERY_INVALID where it is wrong, or asks for what is not known then
 */
export function readDeliveryFilter(
  text: string,
  stage: 'arrival' | 'indexed',
  now: number,
  names?: Names,
): DeliveryFilter {
  const query = requireQuery(text, { stage, now, ...(names === undefined ? {} : { names }) })
  if (query.terms.length === 0) return () => true
  const matches = createMatcher(query)
  return (delivery) => matches({ ...delivery, later: null })
}
