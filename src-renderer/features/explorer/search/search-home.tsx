import type { NetworkId } from '../../../../src-preload/contract/network.ts'
import type { SearchTarget } from '../../../../src-preload/contract/chain.ts'
import { shorten } from '../../../ui/format.ts'
import { useResource, valueOf } from '../../../app/resource.ts'
import { printRoute } from '../../../app/route.ts'
import { Button } from '../../../ui/button.tsx'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { FailedState } from '../../../ui/failed-state.tsx'
import { Icon } from '../../../ui/icons.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import text from '../../../ui/text.module.css'
import { useShownNetwork } from '../../../components/chain/of-network.tsx'
import { UntrustedText } from '../../../components/body/untrusted-text.tsx'
import { networks, selectNetwork } from '../../../app/networks.ts'
import { leftBehind, useLeftBehind } from '../left-behind.ts'
import { useReloadOnceAvailable } from '../answered.tsx'
import { searchChain, useChainSearch, type ChainSearch } from './chain-search.ts'
import { forgetSearches, rememberSearch, useRecentSearches } from './recent-searches.ts'
import { routeOf, targetIcons, targetWords } from './targets.ts'
import styles from './search.module.css'

/** What was found, what was found before, and what can be looked for. */
export function SearchHome() {
  const network = useShownNetwork()
  const search = useChainSearch((state) => state.search)
  const recent = useRecentSearches(({ kept }) => kept[network.id])
  const left = useLeftBehind((state) => state.left)
  return (
    <div className={styles['home']}>
      {left !== null && (
        <p className={styles['note']} role="status">
          {left.what} is on {left.networkName}; this is {network.name}.{' '}
          <a href={printRoute(left.route)} onClick={leftBehind.clear}>
            Back to it
          </a>
        </p>
      )}
      <Outcome search={search} network={network.id} />
      {recent !== undefined && recent.length > 0 && (
        <section aria-label="Recent searches" className={styles['block']}>
          <div className={styles['head']}>
            <h2>Recent searches</h2>
            <Button kind="quiet" onClick={() => forgetSearches(network.id)}>
              Clear
            </Button>
          </div>
          <Targets targets={recent.map(({ target }) => target)} network={network.id} />
        </section>
      )}
      {search.status === 'none' && (
        <EmptyState
          title="Look something up on the chain"
          detail={`${network.name} is asked for what you paste above.`}
        >
          <ul className={styles['kinds']}>
            {kinds.map(([what, example]) => (
              <li key={what}>
                <span>{what}</span>
                <span className={styles['example']}>{example}</span>
              </li>
            ))}
          </ul>
        </EmptyState>
      )}
    </div>
  )
}

const kinds = [
  ['A transaction or message hash', 'hex, base64 or base64url'],
  ['An address', 'EQ… UQ… kQ… 0:…'],
  ['A name', 'foundation.ton'],
  ['A block', '(-1,8000000000000000,123)'],
  ['An invoice', 'its id'],
  ['A link of an explorer', 'https://…'],
] as const

function Outcome({ search, network }: { search: ChainSearch; network: NetworkId }) {
  const again = () => {
    if (search.status === 'failed') void searchChain(search.network, search.text)
  }
  useReloadOnceAvailable(search.status === 'failed', again)
  switch (search.status) {
    case 'none':
      return null
    case 'asking':
      return <Skeleton rows={3} label="Searching" />
    case 'failed':
      return (
        <FailedState
          what={`“${shorten(search.text, 20, 12)}” could not be looked for`}
          why={search.error.message}
          onRetry={again}
        />
      )
    case 'found': {
      // It came back after another network was chosen.
      if (search.answer.network !== network) return null
      const { targets, problem, linkNetwork } = search.answer
      if (linkNetwork !== null) return <OtherNetwork id={linkNetwork} text={search.text} />
      if (targets.length === 0) {
        return (
          <EmptyState
            title={`Nothing found for “${shorten(search.text, 20, 12)}”`}
            detail={problem ?? 'It is no hash, address, name, block or invoice that is known here.'}
          />
        )
      }
      return (
        <section aria-label="Found" className={styles['block']}>
          <div className={styles['head']}>
            <h2>Found for “{shorten(search.text, 20, 12)}”</h2>
          </div>
          {problem !== null && <p className={styles['problem']}>{problem}</p>}
          <Targets targets={targets} network={network} text={search.text} />
        </section>
      )
    }
  }
}

/** A link is looked up on its own network, once the user has switched to that. */
function OtherNetwork({ id, text: link }: { id: string; text: string }) {
  const shown = useShownNetwork()
  const all = valueOf(useResource(networks))?.networks ?? []
  const other = all.find((network) => network.id === id)
  const open = async () => {
    await selectNetwork(id)
    await searchChain(id, link)
  }
  if (other === undefined) {
    return (
      <EmptyState
        title="This link is for another network"
        detail={`It names the network “${id}”, which is not set up here. It was not looked up on ${shown.name}.`}
      />
    )
  }
  return (
    <EmptyState
      title={`This link is for ${other.name}`}
      detail={`It was not looked up on ${shown.name}.`}
    >
      <Button kind="main" onClick={() => void open()}>
        Switch to {other.name} and open it
      </Button>
    </EmptyState>
  )
}

function Targets({
  targets,
  network,
  text: searched,
}: {
  targets: readonly SearchTarget[]
  network: NetworkId
  text?: string
}) {
  return (
    <ul>
      {targets.map((target) => (
        <li key={JSON.stringify(target)}>
          <Target
            target={target}
            network={network}
            onOpen={() => {
              if (searched !== undefined) rememberSearch(network, { text: searched, target })
            }}
          />
        </li>
      ))}
    </ul>
  )
}

function Target({
  target,
  network,
  onOpen,
}: {
  target: SearchTarget
  network: NetworkId
  onOpen: () => void
}) {
  return (
    <a className={styles['target']} href={printRoute(routeOf(target, network))} onClick={onOpen}>
      <Icon name={targetIcons[target.kind]} />
      <span className={styles['kind']}>{targetWords[target.kind]}</span>
      <span className={text['cut']}>
        <UntrustedText text={target.title} />
      </span>
    </a>
  )
}
