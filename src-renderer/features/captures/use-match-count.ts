import { useEffect, useState } from 'react'
import { on, onReconnect, request } from '../../app/bridge.ts'
import { throttle } from '../../ui/throttle.ts'

/** While captures pour in they are counted anew this often. */
const againMs = 2000
/** A slow count rests this many times as long as it took. */
const restFactor = 6

export type MatchCount = {
  /** What it is the count of. */
  readonly text: string
  readonly count: number
  readonly isExact: boolean
}

/** How many captures a query finds, kept current; null until it is known, and for everything. */
export function useMatchCount(text: string): MatchCount | null {
  const [counted, setCounted] = useState<MatchCount | null>(null)
  useEffect(() => {
    if (text === '') return
    let outdated = false
    let tookMs = 0
    let isCounting = false
    const count = async () => {
      if (isCounting || document.visibilityState === 'hidden') return
      isCounting = true
      const started = performance.now()
      try {
        const answer = await request('captureQuery.count', { query: { text } })
        if (!outdated) setCounted({ text, ...answer })
      } catch {
        // The list and the field say what is wrong with it.
        if (!outdated) setCounted(null)
      }
      isCounting = false
      tookMs = performance.now() - started
    }
    const again = throttle(
      () => void count(),
      () => Math.max(againMs, tookMs * restFactor),
    )
    again.call()
    const stops = [
      on('capture.added', again.call),
      on('capture.classified', again.call),
      on('capture.changed', again.call),
      onReconnect(again.call),
      again.cancel,
    ]
    return () => {
      outdated = true
      for (const stop of stops) stop()
    }
  }, [text])
  return counted?.text === text && text !== '' ? counted : null
}
