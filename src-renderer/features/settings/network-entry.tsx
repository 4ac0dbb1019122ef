import type { Network, NetworkUrls } from '../../../src-preload/contract/network.ts'
import { attempt } from '../../app/attempt.ts'
import { request } from '../../app/bridge.ts'
import { printRoute } from '../../app/route.ts'
import { Button } from '../../ui/button.tsx'
import { classes } from '../../ui/classes.ts'
import { confirm } from '../../ui/confirm.tsx'
import { Tag } from '../../ui/tag.tsx'
import { showToast } from '../../ui/toast.tsx'
import { useOpener } from '../../ui/use-opener.ts'
import colour from '../../components/network-colour.module.css'
import { networks, selectNetwork } from '../../app/networks.ts'
import { NetworkForm } from './network-form.tsx'
import { NetworkSecret } from './network-secret.tsx'
import { NetworkTest } from './network-test.tsx'
import styles from './network-entry.module.css'

/** One network: where it is, what is kept for it, and whether that works. */
export function NetworkEntry({ network, isCurrent }: { network: Network; isCurrent: boolean }) {
  const { id, kind, name, urls, testOnly, problem } = network
  const { isOpen: changing, setOpen: setChanging, button } = useOpener()
  const title = `network-${id}`
  return (
    <section className={classes(colour[kind], styles['entry'])} aria-labelledby={title}>
      <div className={styles['head']}>
        <h3 id={title} className={styles['name']}>
          {name}
        </h3>
        {isCurrent && <Tag tone="ok">in use</Tag>}
        {testOnly && (
          <Tag title="Its friendly addresses carry the test-only flag.">test-only addresses</Tag>
        )}
        <div className={styles['end']}>
          {!isCurrent && <Button onClick={() => void selectNetwork(id)}>Use {name}</Button>}
          {kind === 'custom' && (
            <>
              <Button
                ref={button}
                aria-label={`Change ${name}`}
                aria-expanded={changing}
                onClick={() => setChanging(!changing)}
              >
                Change
              </Button>
              <Button
                kind="quiet"
                icon="trash"
                aria-label={`Remove ${name}…`}
                onClick={() => void removeNetwork(network)}
              >
                Remove…
              </Button>
            </>
          )}
        </div>
      </div>
      {changing ? (
        <NetworkForm network={network} onDone={() => setChanging(false)} />
      ) : (
        <dl className={styles['facts']}>
          {urls !== null && <Addresses urls={urls} />}
          {kind === 'sandbox' ? (
            <>
              <dt>Keys</dt>
              <dd>
                Its own, which it tells to Tondesk at each start.{' '}
                <a href={printRoute({ page: 'sandbox', network: 'mainnet', tab: 'connect' })}>
                  Connect your backend to it
                </a>
              </dd>
            </>
          ) : (
            <>
              <NetworkSecret network={network} slot="api" />
              {urls?.console !== null && <NetworkSecret network={network} slot="invoices" />}
            </>
          )}
        </dl>
      )}
      {problem !== null && <p>{problem}</p>}
      <NetworkTest network={network} />
    </section>
  )
}

const words: readonly (readonly [keyof NetworkUrls, string])[] = [
  ['query', 'Query API'],
  ['webhooks', 'Webhooks'],
  ['testnetWebhooks', 'Test webhooks'],
  ['console', 'Invoices'],
]

function Addresses({ urls }: { urls: NetworkUrls }) {
  return words.map(([field, word]) => {
    const url = urls[field]
    if (url === null) return null
    return (
      <div key={field} className={styles['group']}>
        <dt>{word}</dt>
        <dd className={styles['url']}>{url}</dd>
      </div>
    )
  })
}

async function removeNetwork({ id, name, secrets }: Network): Promise<void> {
  const kept = secrets.api !== null || secrets.invoices !== null
  const yes = await confirm({
    title: `Remove the network “${name}”?`,
    detail: `Its addresses${kept ? ' and its keys' : ''} are deleted from this computer. Its lookups stay readable. At the gateway nothing changes.`,
    action: 'Remove',
    destructive: true,
  })
  if (!yes) return
  const next = await attempt('Could not remove the network', () =>
    request('network.remove', { id }),
  )
  if (next === undefined) return
  networks.set(next)
  showToast({ title: `Network “${name}” removed` })
}
