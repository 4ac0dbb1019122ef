import type { RefObject } from 'react'
import { formatCount } from '../../format.ts'
import { IconButton } from '../../ui/button.tsx'
import { Chip } from '../../ui/chip.tsx'
import { SearchInput } from '../../ui/search-input.tsx'
import { useTypedSearch } from '../../use-typed-search.ts'
import { search } from './inspector-commands.ts'
import type { Query } from './inspector-state.ts'
import { useInspector } from './inspector.ts'
import styles from './page.module.css'

/** What to look for, and where: words of the index, or anywhere by a slow scan. */
export function SearchBar({ field }: { field: RefObject<HTMLInputElement | null> }) {
  const query = useInspector((state) => state.query)
  const change = (part: Partial<Query>) => search({ ...useInspector.getState().query, ...part })
  const { typed, settle, type, enter, clear } = useTypedSearch(query.text, (text) =>
    change({ text }),
  )
  // With what was typed a moment ago and not searched for yet.
  const narrow = (part: Partial<Query>) => change({ text: settle(), ...part })

  return (
    <search className={styles['search']}>
      <SearchInput
        ref={field}
        label="Search captures"
        placeholder="type to search method, path, headers and bodies"
        maxLength={1000}
        value={typed}
        onType={type}
        onClear={clear}
        onEnter={enter}
      />
      {typed !== '' && <IconButton icon="close" label="Clear the search" onClick={clear} />}
      <Chip
        title="Looks anywhere, inside words too, by reading capture after capture. Slow."
        pressed={query.mode === 'inside'}
        onPress={() => narrow({ mode: query.mode === 'inside' ? 'words' : 'inside' })}
      >
        inside words
        <span className={styles['slow']}>slow</span>
      </Chip>
      <Chip
        title="Only pinned captures"
        pressed={query.pinnedOnly}
        onPress={() => narrow({ pinnedOnly: !query.pinnedOnly })}
      >
        pinned
      </Chip>
      <NotYetSearchable />
    </search>
  )
}

function NotYetSearchable() {
  const behind = useInspector(({ list }) => (list.status === 'ready' ? list.notYetSearchable : 0))
  if (behind === 0) return null
  return (
    <span className={styles['hint']} role="status">
      {formatCount(behind, 'new capture')} not searchable yet
    </span>
  )
}
