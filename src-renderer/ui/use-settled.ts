import { useEffect, useState } from 'react'

const restMs = 250

/** What it is once it has not changed for a moment, for what is not to be asked at each letter. */
export function useSettled<T>(value: T): T {
  const [settled, settle] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => settle(value), restMs)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}
