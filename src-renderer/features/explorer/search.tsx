import { useEffect, useEffectEvent, useRef, useState } from 'react'
import type { SearchTarget } from '../../../src-preload/contract/chain/search.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import { selectNetwork } from '../../app/networks.ts'
import { useData } from '../../app/bridge.ts'
import { type Route, routeHref } from '../../app/route.ts'
import { UntrustedText } from '../../components/body/untrusted-text.tsx'
import {
  type ChainSearch,
  clearSearch,
  changeRecent,
  rememberSearch,
  routeOf,
  searchChain,
  targetIcons,
  targetLabels,
  useChainSearch,
  useRecentSearches,
} from '../../components/chain/chain-search.ts'
import { useShownNetwork } from '../../components/network-tag.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { EmptyState, FailedState, Skeleton } from '../../ui/loaded.tsx'
import { shorten } from '../../ui/format.ts'
import { Icon } from '../../ui/icons.tsx'
import { focusHeading, useShortcuts } from '../../ui/keyboard.ts'
import { Hint, Note, Row, Stack, Small } from '../../ui/layout.tsx'
import { SearchInput } from '../../ui/form.tsx'
import { useReloadOnceAvailable } from './chain-data.tsx'
import { ExplorerStart } from './start.tsx'

/** The contract of the route allows at most this many characters. */
const maxLength = 2000

function isEditable(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName))
  )
}

export function SearchField() {
  const network = useShownNetwork()
  const isSearching = useChainSearch(({ search }) => search?.status === 'asking')
  const [typed, setTyped] = useState('')
  const field = useRef<HTMLInputElement>(null)
  const focus = () => field.current?.select()
  useShortcuts([{ keys: ['/'], label: 'Search the chain', group: 'Transactions', run: focus }])
  const clear = () => {
    setTyped('')
    clearSearch()
  }
  const find = (text: string) => {
    void searchChain(network.id, text).then((opened) => {
      // The field may already contain another search, which must stay.
      if (opened) setTyped((now) => (now.trim() === text ? '' : now))
    })
  }
  // Text that is pasted anywhere on the page is searched for.
  const onPaste = useEffectEvent((event: ClipboardEvent) => {
    const pasted = event.clipboardData?.getData('text/plain').trim() ?? ''
    if (pasted === '' || pasted.length > maxLength || isEditable(event.target)) return
    event.preventDefault()
    setTyped(pasted)
    find(pasted)
  })
  useEffect(() => {
    document.addEventListener('paste', onPaste)
    return () => document.removeEventListener('paste', onPaste)
  }, [])
  return (
    <Row as="search" grow gap="s">
      <Row
        as="form"
        grow
        onSubmit={(event: React.SyntheticEvent) => {
          event.preventDefault()
          if (typed.trim() === '') return
          // The results have keyboard shortcuts, which would otherwise type into the field.
          focusHeading()
          find(typed.trim())
        }}
      >
        <SearchInput
          ref={field}
          boxed
          label="Search the chain"
          placeholder="Hash, address, name, block or link"
          maxLength={maxLength}
          aria-busy={isSearching}
          value={typed}
          onType={setTyped}
          onClear={clear}
        />
      </Row>
      {typed !== '' && (
        <IconButton
          icon="close"
          label="Clear the search"
          onClick={() => {
            clear()
            // The button disappears with the text, so the field gets the focus.
            field.current?.focus()
          }}
        />
      )}
    </Row>
  )
}

/** A page that was closed because it belongs to another network. */
export type LeftPage = {
  readonly what: string
  readonly networkName: string
  readonly route: Route
}

/** Shows the results of the search, recent results, and examples of what can be searched for. */
export function SearchHome({ left }: { left: LeftPage | null }) {
  const network = useShownNetwork()
  const search = useChainSearch((state) => state.search)
  const recent = useRecentSearches((kept) => kept[network.id]) ?? []
  const shown = search?.network === network.id ? search : null
  return (
    <Stack gap="none">
      {left !== null && (
        <Note role="status">
          {left.what} is on {left.networkName}; this is {network.name}.{' '}
          <a href={routeHref(left.route)}>
            Back to {left.what.charAt(0).toLowerCase() + left.what.slice(1)}
          </a>
        </Note>
      )}
      {shown !== null && <Outcome search={shown} />}
      {recent.length > 0 && (
        <Targets
          title="Recent searches"
          targets={recent.map(({ target }) => target)}
          action={
            <Button kind="quiet" onClick={() => changeRecent({ [network.id]: [] })}>
              Clear list
            </Button>
          }
        />
      )}
      {shown === null && (
        <>
          <ExplorerStart network={network} />
          <Row pad="m">
            <Hint>
              Search finds transaction and message hashes, addresses and names, blocks, invoice IDs
              and links to an explorer.
            </Hint>
          </Row>
        </>
      )}
    </Stack>
  )
}

function Outcome({ search }: { search: ChainSearch }) {
  const shown = useShownNetwork()
  const { networks = [] } = useData('network.list').data ?? {}
  const again = () => void searchChain(search.network, search.text)
  useReloadOnceAvailable(search.status === 'failed', again)
  const text = shorten(search.text, 20, 12)
  if (search.status === 'asking') return <Skeleton rows={3} label="Searching" />
  if (search.status === 'failed') {
    return (
      <FailedState what={`Could not search for “${text}”`} why={search.error} onRetry={again} />
    )
  }
  const { targets, problem, linkNetwork } = search.answer
  if (linkNetwork !== null) {
    // Only when the user switches to the network of the link, the link is opened.
    const other = networks.find(({ id }) => id === linkNetwork)
    return (
      <EmptyState
        title={`This link is for ${other?.name ?? 'another network'}`}
        detail={
          other === undefined
            ? `The link is for the network “${linkNetwork}”, which is not set up in Tondesk. You are on ${shown.name}.`
            : `You are on ${shown.name}. Switch the network to open this link.`
        }
      >
        {other && (
          <Button kind="main" onClick={() => void searchOn(other.id, search.text)}>
            Switch to {other.name} and open it
          </Button>
        )}
      </EmptyState>
    )
  }
  if (targets.length === 0) {
    return (
      <EmptyState
        title={`Nothing found for “${text}”`}
        detail={problem ?? 'No account, transaction, block or invoice of this network matches.'}
      >
        {networks
          .filter(({ id, problem: why }) => id !== shown.id && why === null)
          .map(({ id, name }) => (
            <Button key={id} onClick={() => void searchOn(id, search.text)}>
              Search {name}
            </Button>
          ))}
      </EmptyState>
    )
  }
  return (
    <Targets
      title={`Results for “${text}”`}
      label="Results"
      targets={targets}
      problem={problem}
      searched={search.text}
    />
  )
}

async function searchOn(network: NetworkId, text: string): Promise<void> {
  await selectNetwork(network)
  await searchChain(network, text)
}

function Targets({
  title,
  label = title,
  targets,
  problem = null,
  searched,
  action,
}: {
  title: string
  label?: string
  targets: readonly SearchTarget[]
  problem?: string | null
  /** The text that the displayed results belong to. */
  searched?: string
  action?: React.ReactNode
}) {
  const { id: network } = useShownNetwork()
  return (
    <section aria-label={label}>
      <Row pad="m" line="below" justify="between">
        <h2>{title}</h2>
        {action}
      </Row>
      {problem !== null && <Note tone="warn">{problem}</Note>}
      <ul>
        {targets.map((target) => (
          <li key={JSON.stringify(target)}>
            <Row
              as="a"
              pad="m"
              line="below"
              href={routeHref(routeOf(target, network))}
              onClick={() => {
                if (searched !== undefined) rememberSearch(network, { text: searched, target })
              }}
            >
              <Icon name={targetIcons[target.kind]} />
              <Small>{targetLabels[target.kind]}</Small>
              <UntrustedText over="cut" text={target.title} />
            </Row>
          </li>
        ))}
      </ul>
    </section>
  )
}
