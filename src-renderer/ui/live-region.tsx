import { useEffect, useState } from 'react'
import text from './text.module.css'

type Said = { readonly id: number; readonly message: string }

let count = 0
let hear: ((said: Said) => void) | undefined

/** Tells people who use a screen reader what changed, without moving their focus. */
export function announce(message: string): void {
  count += 1
  hear?.({ id: count, message })
}

/** Mounted once, in the frame. */
export function LiveRegion() {
  const [said, setSaid] = useState<Said | null>(null)
  useEffect(() => {
    hear = setSaid
    return () => {
      hear = undefined
    }
  }, [])
  return (
    <div aria-live="polite" role="status" className={text['hidden']}>
      {/* A new node each time, or the same sentence said twice would be heard once. */}
      {said !== null && <span key={said.id}>{said.message}</span>}
    </div>
  )
}
