import type { Ref } from 'react'
import { useEffect, useRef, useState } from 'react'
import styles from './search-field.module.css'

/** Typing rests this long before it is searched for. */
const restMs = 180

/** Looks while one types; Escape empties it, then leaves it. */
export function SearchField({
  label,
  placeholder,
  value,
  onSearch,
  ref,
}: {
  label: string
  placeholder: string
  value: string
  onSearch: (text: string) => void
  ref?: Ref<HTMLInputElement>
}) {
  const [typed, setTyped] = useState(value)
  const [asked, setAsked] = useState(value)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])

  // It was changed elsewhere, as by a button that clears all filters.
  if (value !== asked) {
    setAsked(value)
    if (value !== typed.trim()) setTyped(value)
  }

  const search = (text: string) => {
    clearTimeout(timer.current)
    if (text.trim() !== value) onSearch(text.trim())
  }
  const type = (text: string) => {
    setTyped(text)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => search(text), restMs)
  }

  return (
    <input
      ref={ref}
      type="search"
      className={styles['field']}
      aria-label={label}
      placeholder={placeholder}
      maxLength={200}
      autoComplete="off"
      spellCheck={false}
      value={typed}
      onChange={(event) => type(event.target.value)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') search(typed)
        if (event.key !== 'Escape') return
        event.stopPropagation()
        if (typed === '') event.currentTarget.blur()
        else {
          setTyped('')
          search('')
        }
      }}
    />
  )
}
