import type { Ref } from 'react'
import { SearchInput } from '../../ui/search-input.tsx'
import { useTypedSearch } from '../../ui/use-typed-search.ts'
import styles from './search-field.module.css'

/** Lists here are on this computer, and are asked one question at a time: hardly a rest is needed. */
const restMs = 40

/** Looks while one types. */
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
  const { typed, type, enter, clear } = useTypedSearch(
    value,
    (text) => {
      if (text !== value) onSearch(text)
    },
    restMs,
  )
  return (
    <SearchInput
      ref={ref}
      className={styles['field']}
      label={label}
      placeholder={placeholder}
      maxLength={200}
      value={typed}
      onType={type}
      onClear={clear}
      onEnter={enter}
    />
  )
}
