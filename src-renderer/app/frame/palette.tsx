import { Dialog } from '@base-ui/react/dialog'
import { useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import surface from '../../ui/surface.module.css'
import styles from './frame.module.css'
import { formatKeys } from '../../ui/keyboard.ts'
import { Icon } from '../../ui/icons.tsx'
import { useSettled } from '../../ui/use-settled.ts'
import { classes } from '../../ui/classes.ts'
import { Kbd, Text, textClasses } from '../../ui/layout.tsx'
import { queries, request, useData } from '../bridge.ts'
import {
  isSearchable,
  rememberSearch,
  routeOf,
  searchChain,
  targetIcons,
  targetLabels,
} from '../../components/chain/chain-search.ts'
import { closeOverlay, useOverlay } from './overlays.ts'
import { filterEntries, listEntries } from './palette-entries.ts'
import type { PaletteEntry } from '../features.tsx'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import type { SearchTarget } from '../../../src-preload/contract/chain/search.ts'
import { navigate } from '../route.ts'

/** Returns the results for a pasted hash, address, block or link; empty for other texts. */
function usePaletteTargets(network: NetworkId | null, typed: string): PaletteEntry[] {
  const text = typed.trim()
  const settled = useSettled(text)
  // If the request fails, the entry that searches on the page stays, and that page shows the reason.
  const { data } = useQuery(
    {
      queryKey: ['palette', network, settled],
      queryFn: () => request('search.find', { network: network ?? '', text: settled }),
      enabled: network !== null && isSearchable(settled),
      gcTime: 0,
    },
    queries,
  )
  if (network === null || text === '') return []
  const targets = settled === text ? (data?.targets ?? []) : []
  const entries = targets.map((target) => entryOf(target, text, network))
  return entries.length > 0 ? entries : [searchEntry(text, network)]
}

const entryOf = (target: SearchTarget, text: string, network: NetworkId): PaletteEntry => ({
  id: `chain-${JSON.stringify(target)}`,
  label: `${targetLabels[target.kind]}: ${target.title}`,
  icon: targetIcons[target.kind],
  run: () => {
    rememberSearch(network, { text, target })
    navigate(routeOf(target, network))
  },
})

const searchEntry = (text: string, network: NetworkId): PaletteEntry => ({
  id: 'search-chain',
  label: `Search the chain for “${text}”`,
  icon: 'transactions',
  run: () => void searchChain(network, text),
})

export function Palette() {
  const open = useOverlay((state) => state.open === 'palette')
  return (
    <Dialog.Root open={open} onOpenChange={(next) => !next && closeOverlay()}>
      <Dialog.Portal>
        <Dialog.Backdrop className={surface['backdrop']} />
        <Dialog.Popup data-modal className={classes(surface['raised'], styles['palette'])}>
          <Dialog.Title className={textClasses({ hidden: true })}>
            Search or run a command
          </Dialog.Title>
          <Chooser />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

/** Renders a text field that keeps the focus while the arrow keys move through the list below it. */
function Chooser() {
  const state = useData('receiver.state').data ?? null
  const known = useData('network.list').data ?? null
  const views = useData('captureView.list').data ?? []
  const [typed, setTyped] = useState('')
  const [index, setIndex] = useState(0)
  const id = useId()
  const list = useRef<HTMLDivElement>(null)
  const onChain = usePaletteTargets(known?.current ?? null, typed)
  const commands = filterEntries(listEntries(state, known, views), typed)
  // A pasted hash or address is not a command, so its results come first.
  const entries = isSearchable(typed) ? [...onChain, ...commands] : [...commands, ...onChain]
  const chosen = Math.min(index, entries.length - 1)

  useEffect(() => {
    list.current?.children[chosen]?.scrollIntoView({ block: 'nearest' })
  }, [chosen])

  const run = (entry: PaletteEntry | undefined) => {
    if (entry === undefined) return
    closeOverlay()
    entry.run()
  }

  const press = (event: KeyboardEvent) => {
    const last = entries.length - 1
    if (event.key === 'ArrowDown') setIndex(chosen === last ? 0 : chosen + 1)
    else if (event.key === 'ArrowUp') setIndex(chosen === 0 ? last : chosen - 1)
    else if (event.key === 'Enter') run(entries[chosen])
    else return
    event.preventDefault()
  }

  return (
    <>
      <div className={styles['paletteField']}>
        <Icon name="search" />
        <input
          role="combobox"
          aria-label="Search or run a command"
          aria-expanded="true"
          aria-controls={`${id}-list`}
          aria-activedescendant={`${id}-${chosen}`}
          aria-autocomplete="list"
          autoComplete="off"
          // In the same turn: keys that follow at once are typed into the field.
          autoFocus
          spellCheck={false}
          placeholder="Search or run a command"
          className={styles['paletteInput']}
          value={typed}
          onChange={(event) => {
            setTyped(event.target.value)
            setIndex(0)
          }}
          onKeyDown={press}
        />
      </div>
      <div
        ref={list}
        id={`${id}-list`}
        role="listbox"
        aria-label="Commands"
        className={styles['paletteList']}
      >
        {entries.map((entry, at) => (
          <div
            key={entry.id}
            id={`${id}-${at}`}
            role="option"
            aria-selected={at === chosen}
            className={classes(
              surface['hover'],
              styles['entry'],
              at === chosen && surface['chosen'],
            )}
            onPointerMove={() => setIndex(at)}
            onClick={() => run(entry)}
          >
            <Icon name={entry.icon} />
            <Text over="cut">{entry.label}</Text>
            {entry.keys !== undefined && (
              <span className={styles['entryKeys']}>
                <Kbd>{formatKeys(entry.keys)}</Kbd>
              </span>
            )}
          </div>
        ))}
      </div>
    </>
  )
}
