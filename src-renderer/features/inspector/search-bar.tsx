import type { RefObject } from 'react'
import { useEffect, useRef, useState } from 'react'
import { formatCount } from '../../format.ts'
import { IconButton } from '../../ui/button.tsx'
import { Chip } from '../../ui/chip.tsx'
import { search } from './inspector-commands.ts'
import type { Query } from './inspector-state.ts'
import { useInspector } from './inspector.ts'
import styles from './page.module.css'

/** Typing rests this long before it is searched for. */
const restMs = 180

/** What to look for, and where: words of the index, or anywhere by a slow scan. */
export function SearchBar({ field }: { field: RefObject<HTMLInputElement | null> }) {
  const query = useInspector((state) => state.query)
  const [typed, setTyped] = useState(query.text)
  const [asked, setAsked] = useState(query.text)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])

  // The search was changed elsewhere: by the address, the palette or a button.
  if (query.text !== asked) {
    setAsked(query.text)
    if (query.text !== typed.trim()) setTyped(query.text)
  }

  const change = (part: Partial<Query>) => {
    clearTimeout(timer.current)
    search({ ...useInspector.getState().query, text: typed.trim(), ...part })
  }
  const type = (text: string) => {
    setTyped(text)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => change({ text: text.trim() }), restMs)
  }
  const clear = () => {
    setTyped('')
    change({ text: '' })
  }

  return (
    <search className={styles['search']}>
      <input
        ref={field}
        className={styles['field']}
        type="search"
        aria-label="Search captures"
        placeholder="type to search method, path, headers and bodies"
        maxLength={1000}
        autoComplete="off"
        spellCheck={false}
        value={typed}
        onChange={(event) => type(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') change({ text: typed.trim() })
          if (event.key !== 'Escape') return
          event.stopPropagation()
          if (typed === '') event.currentTarget.blur()
          else clear()
        }}
      />
      {typed !== '' && <IconButton icon="close" label="Clear the search" onClick={clear} />}
      <Chip
        title="Looks anywhere, inside words too, by reading capture after capture. Slow."
        pressed={query.mode === 'inside'}
        onPress={() => change({ mode: query.mode === 'inside' ? 'words' : 'inside' })}
      >
        inside words
        <span className={styles['slow']}>slow</span>
      </Chip>
      <Chip
        title="Only pinned captures"
        pressed={query.pinnedOnly}
        onPress={() => change({ pinnedOnly: !query.pinnedOnly })}
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
