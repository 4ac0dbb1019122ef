import type { Comparable } from '../../../src-preload/contract/replay.ts'
import { navigate } from '../../app/route.ts'
import type { DeliveryRoute } from '../../app/delivery-route.ts'

/** Formats a compared request for the address bar: `capture-12`, `replay-3-0`, `forward-…`. */
export function formatComparable(one: Comparable): string {
  switch (one.kind) {
    case 'capture':
      return `capture-${one.id}`
    case 'replay':
      return `replay-${one.replayId}`
    case 'forward':
      return `forward-${one.deliveryId}`
  }
}

/** Parses a compared request; a number alone is a capture. @returns null for other text */
export function parseComparable(text: string): Comparable | null {
  const trimmed = text.trim()
  const capture = /^(?:capture[- ])?([1-9]\d{0,15})$/.exec(trimmed)?.[1]
  if (capture !== undefined) {
    const id = Number(capture)
    return Number.isSafeInteger(id) ? { kind: 'capture', id } : null
  }
  const [, kind = '', rest = ''] = /^(replay|forward)-([\w.:-]{1,200})$/.exec(trimmed) ?? []
  if (kind === 'replay') return { kind, replayId: rest }
  return kind === 'forward' ? { kind, deliveryId: rest } : null
}

const compareRoute = (left: Comparable, right: Comparable): DeliveryRoute => ({
  page: 'delivery',
  view: 'compare',
  left: formatComparable(left),
  right: formatComparable(right),
})

/** Shows two requests side by side. `replace` adds no step for the back button. */
export function openCompare(
  left: Comparable,
  right: Comparable,
  options: { replace?: boolean } = {},
): void {
  navigate(compareRoute(left, right), options)
}

/** The older capture is on the left. */
export function compareCaptures([a, b]: readonly [number, number]): void {
  openCompare({ kind: 'capture', id: Math.min(a, b) }, { kind: 'capture', id: Math.max(a, b) })
}
