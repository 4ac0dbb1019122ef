/**
 * The gateway's clock determines when invoices are dated and expire. The user can change the
 * sandbox's clock.
 */
import { useCallback, useSyncExternalStore } from 'react'
import type { NetworkId } from '../../src-preload/contract/network.ts'
import { fromMs } from '../ui/format.ts'
import { secondClock, useNow } from '../ui/time.tsx'
import { useData } from '../app/bridge.ts'

/** The number of milliseconds to add to this computer's clock; 0 until the offset is known. */
export const useClockOffset = (network: NetworkId): number =>
  useData('invoiceSync.state', { network }).data?.clockOffset ?? 0

/** The time of the gateway's clock in microseconds, updated every ten seconds. */
export const useGatewayNow = (network: NetworkId): number =>
  useNow() + fromMs(useClockOffset(network))

type Countdown = { readonly text: string; readonly isUrgent: boolean }

const minute = 60_000
const urgentMs = 5 * minute

/** Formats the time until a moment of the gateway's clock, in a text that changes as rarely as possible. */
export function useCountdown(until: number, network: NetworkId, isShort = false): Countdown {
  const offset = useClockOffset(network)
  // React renders again only if this text changes.
  const read = useCallback(() => {
    const left = until - Date.now() - offset
    return `${left < urgentMs ? '!' : ' '}${formatTimeLeft(left, isShort)}`
  }, [until, offset, isShort])
  const now = useSyncExternalStore(secondClock.subscribe, read)
  return { text: now.slice(1), isUrgent: now.startsWith('!') }
}

/** Formats the time that is left. */
export function formatTimeLeft(ms: number, isShort = false): string {
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
