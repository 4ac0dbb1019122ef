import { useEffect, useState } from 'react'

const restMs = 250

/** Returns the value once it has not changed for a moment, so that not every key causes a request. */
export function useSettled<T>(value: T): T {
  const [settled, settle] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => settle(value), restMs)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}
