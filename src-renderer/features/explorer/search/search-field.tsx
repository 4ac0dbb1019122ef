import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { useShortcuts } from '../../../ui/keyboard.ts'
import { IconButton } from '../../../ui/button.tsx'
import { SearchInput } from '../../../ui/search-input.tsx'
import { useShownNetwork } from '../../../components/chain/of-network.tsx'
import { clearSearch, searchChain, useChainSearch } from './chain-search.ts'
import styles from '../transactions.module.css'

/** As the contract has it. */
const longest = 2000

function isEditable(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName))
  )
}

export function SearchField() {
  const network = useShownNetwork()
  const search = useChainSearch((state) => state.search)
  const [typed, setTyped] = useState('')
  const field = useRef<HTMLInputElement>(null)
  useShortcuts([
    {
      keys: ['/'],
      label: 'Search the chain',
      group: 'Transactions',
      run: () => field.current?.select(),
    },
  ])
  const clear = () => {
    setTyped('')
    clearSearch()
  }
  const find = (text: string) => {
    void searchChain(network.id, text).then((opened) => {
      // What was typed meanwhile is another question.
      if (opened) setTyped((now) => (now.trim() === text ? '' : now))
    })
  }
  // One comes here with something on the clipboard: it need not be aimed at the field.
  const onPaste = useEffectEvent((event: ClipboardEvent) => {
    const pasted = event.clipboardData?.getData('text/plain').trim() ?? ''
    if (pasted === '' || pasted.length > longest || isEditable(event.target)) return
    event.preventDefault()
    setTyped(pasted)
    find(pasted)
  })
  useEffect(() => {
    document.addEventListener('paste', onPaste)
    return () => document.removeEventListener('paste', onPaste)
  }, [])
  return (
    <search className={styles['search']}>
      <form
        className={styles['search']}
        onSubmit={(event) => {
          event.preventDefault()
          if (typed.trim() === '') return
          // What is found has keys of its own, which a field would keep from it.
          field.current?.blur()
          find(typed.trim())
        }}
      >
        <SearchInput
          ref={field}
          boxed
          className={styles['field']}
          label="Search the chain"
          placeholder="paste a hash, an address, a name, a block or a link"
          maxLength={longest}
          aria-busy={search.status === 'asking'}
          value={typed}
          onType={setTyped}
          onClear={clear}
        />
      </form>
      {typed !== '' && (
        <IconButton
          icon="close"
          label="Clear the search"
          onClick={() => {
            clear()
            // The button goes away with the text.
            field.current?.focus()
          }}
        />
      )}
    </search>
  )
}
