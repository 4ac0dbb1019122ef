/** The gateway's clock, by which invoices are dated and expire: the sandbox's may have been turned. */
import { useCallback, useSyncExternalStore } from 'react'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import { fromMs } from '../../ui/format.ts'
import { useNow } from '../../ui/moment.tsx'
import { useResource, valueOf } from '../../app/resource.ts'
import { invoiceSyncOf } from './invoices.ts'

const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined

/** One beat a second for all who count down, and none while nobody does. */
function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  timer ??= setInterval(() => {
    for (const each of listeners) each()
  }, 1000)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/** To be added to this computer's clock, in milliseconds; 0 until it is known. */
export function useClockOffset(network: NetworkId): number {
  return valueOf(useResource(invoiceSyncOf(network)))?.clockOffset ?? 0
}

/** By the gateway's clock, in microseconds, seen again every ten seconds. */
export function useGatewayNow(network: NetworkId): number {
  return useNow() + fromMs(useClockOffset(network))
}

type Countdown = { readonly text: string; readonly isUrgent: boolean }

const minute = 60_000
const urgentMs = 5 * minute

/** What is left until a moment of the gateway's clock, in words that change as seldom as they can. */
export function useCountdown(until: number, network: NetworkId, isShort = false): Countdown {
  const offset = useClockOffset(network)
  // A text, and so the same one until it says something else: only then it is drawn again.
  const read = useCallback(() => {
    const left = until - Date.now() - offset
    return `${left < urgentMs ? '!' : ' '}${printLeft(left, isShort)}`
  }, [until, offset, isShort])
  const now = useSyncExternalStore(subscribe, read)
  return { text: now.slice(1), isUrgent: now.startsWith('!') }
}

/** Pure, for tests. */
export function printLeft(ms: number, isShort = false): string {
  if (ms <= 0) return 'overdue'
  const [size, unit] =
    ms < minute
      ? ([1000, 's'] as const)
      : ms < 60 * minute
        ? ([minute, 'min'] as const)
        : ms < 48 * 60 * minute
          ? ([60 * minute, 'h'] as const)
          : ([24 * 60 * minute, 'd'] as const)
  const left = `${unit === 's' ? Math.ceil(ms / size) : Math.floor(ms / size)} ${unit}`
  return isShort ? `${left} left` : `expires in ${left}`
}
