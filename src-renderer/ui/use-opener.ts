import { type RefObject, useEffect, useRef, useState } from 'react'

type Opener = {
  readonly isOpen: boolean
  readonly setOpen: (open: boolean) => void
  /** For the button that opens it, which may be away meanwhile. */
  readonly button: RefObject<HTMLButtonElement | null>
}

/** A form that a button opens. Once it is closed the focus is at that button again, not lost. */
export function useOpener(): Opener {
  const [isOpen, setOpen] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const wasOpen = useRef(false)
  useEffect(() => {
    if (wasOpen.current && !isOpen) button.current?.focus()
    wasOpen.current = isOpen
  }, [isOpen])
  return { isOpen, setOpen, button }
}
