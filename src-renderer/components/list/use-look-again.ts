import { useEffect, useMemo, useRef } from 'react'
import { throttle } from '../../ui/throttle.ts'

/** While something changes it is looked at anew this often. */
const lookMs = 1000

/**
 * Calls `look`, which stays the same, when what `key` stands for has changed. Not at first: what was
 * there when it was opened has just been asked for.
 */
export function useLookAgain(key: string, look: () => void): void {
  const often = useMemo(() => throttle(look, lookMs), [look])
  useEffect(() => often.cancel, [often])
  const former = useRef(key)
  useEffect(() => {
    if (former.current === key) return
    former.current = key
    often.call()
  }, [key, often])
}
