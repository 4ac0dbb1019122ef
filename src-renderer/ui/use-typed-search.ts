import { useEffect, useRef, useState } from 'react'

/** The pause in typing after which a slow search starts. */
const defaultRestMs = 180

/**
 * A search while the user types. `value` is the present search; `onSearch`
 * gets the trimmed text.
 */
export function useTypedSearch(
  value: string,
  onSearch: (text: string) => void,
  restMs = defaultRestMs,
) {
  const [typed, setTyped] = useState(value)
  const [asked, setAsked] = useState(value)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])

  // The address, the palette or a button has changed the search.
  if (value !== asked) {
    setAsked(value)
    if (value !== typed.trim()) setTyped(value)
  }

  const settle = (): string => {
    clearTimeout(timer.current)
    return typed.trim()
  }
  return {
    typed,
    /** Ends the pause, because the typed text is about to be searched together with something else. */
    settle,
    type: (text: string) => {
      setTyped(text)
      clearTimeout(timer.current)
      timer.current = setTimeout(() => onSearch(text.trim()), restMs)
    },
    enter: () => onSearch(settle()),
    clear: () => {
      setTyped('')
      clearTimeout(timer.current)
      onSearch('')
    },
  }
}
