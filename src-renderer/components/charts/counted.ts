/** Keeps counts of captures up to date while captures arrive. */
import { useEffect, useRef } from 'react'
import type { RouteName } from '../../../src-preload/contract/routes.ts'
import { on, queries, reload, request, useDataBy } from '../../app/bridge.ts'
import { throttle } from '../../ui/throttle.ts'
import type { Range } from './plan.ts'

/** The bars above the captures, which a key leads to. */
export const arrivalBarsId = 'arrivals'

const minuteMs = 60_000
/** Counting takes at most a twentieth of the time, but runs at least every ten seconds. */
const pauseFactor = 20
const maxPauseMs = 10_000

/** Returns a count of captures that is loaded again while captures arrive, at most every `leastMs`. */
export function useCountedData<T>(
  name: RouteName,
  key: object,
  load: () => Promise<T>,
  leastMs: number,
) {
  const tookMs = useRef(0)
  const query = useDataBy(
    name,
    key,
    async () => {
      const started = performance.now()
      try {
        return await load()
      } finally {
        tookMs.current = performance.now() - started
      }
    },
    { everyMs: minuteMs },
  )
  useEffect(() => {
    const again = throttle(
      () => {
        if (document.visibilityState === 'visible') reload(name)
      },
      () => Math.max(leastMs, Math.min(maxPauseMs, tookMs.current * pauseFactor)),
    )
    const stops = [
      on('capture.added', again.call),
      on('capture.changed', again.call),
      on('capture.classified', again.call),
      // A query can depend on the state of forwarding.
      on('forward.changed', again.call),
      again.cancel,
      // Captures that arrived while the page was closed were not counted.
      () => void queries.invalidateQueries({ queryKey: [name], refetchType: 'none' }),
    ]
    return () => {
      for (const stop of stops) stop()
    }
  }, [name, leastMs])
  return query
}

/** The smallest of some ranges that holds all captures that match, else the last one. */
export async function fitRange<R extends Pick<Range, 'name'>>(
  ranges: readonly R[],
  text = '',
): Promise<R | undefined> {
  for (const range of ranges) {
    const query = { text: `${text} received:<-${range.name}`.trim() }
    if ((await request('capture.list', { query, limit: 1 })).rows.length === 0) return range
  }
  return ranges.at(-1)
}
