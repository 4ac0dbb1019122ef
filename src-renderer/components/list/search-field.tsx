import { type Ref, useRef } from 'react'
import type { FilterStage } from '../../../src-preload/contract/capture-query.ts'
import { SearchInput } from '../../ui/form.tsx'
import { useShortcuts } from '../../ui/keyboard.ts'
import { Hint } from '../../ui/layout.tsx'
import { useTypedSearch } from '../../ui/use-typed-search.ts'
import { type QueryFieldHandle, QueryField } from '../query/query-field.tsx'

/** These lists are on this computer and load one query at a time, so a short delay is enough. */
const restMs = 40

/** Searches while the user types. */
export function SearchField({
  label,
  placeholder,
  value,
  onSearch,
  group,
}: {
  label: string
  placeholder: string
  value: string
  onSearch: (text: string) => void
  /** The heading of the key `/` in the list of shortcuts; the key moves the focus to the field. */
  group?: string
}) {
  const field = useRef<HTMLInputElement>(null)
  const run = () => field.current?.select()
  useShortcuts(group === undefined ? [] : [{ keys: ['/'], label, group, run }])
  const { typed, type, enter, clear } = useTypedSearch(
    value,
    (text) => {
      if (text !== value) onSearch(text)
    },
    restMs,
  )
  return (
    <SearchInput
      ref={field}
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

/** A field for the deliveries to which a rule applies: a query of fields that are known at that stage. */
export function FilterField({
  value,
  onChange,
  error,
  stage,
  ref,
}: {
  value: string
  onChange: (text: string) => void
  error: string | undefined
  stage: FilterStage
  ref?: Ref<QueryFieldHandle> | undefined
}) {
  return (
    <QueryField
      ref={ref}
      label="Filter (optional)"
      maxLength={2000}
      placeholder="for example: event:account_tx account:EQ…"
      value={value}
      onChange={onChange}
      error={error}
      stage={stage}
      beside={
        value === '' && (
          <Hint>
            Fields: event, account, path, header, body, token
            {stage === 'indexed' && ', duplicate, order'}. Leave empty for all deliveries.
          </Hint>
        )
      }
    />
  )
}
