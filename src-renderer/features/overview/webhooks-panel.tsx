import type { Network } from '../../../src-preload/contract/network.ts'
import type { Webhook, WebhookList } from '../../../src-preload/contract/webhook.ts'
import { formatCount, formatNumber, fromMs } from '../../ui/format.ts'
import { Moment } from '../../ui/moment.tsx'
import { useData } from '../../app/queries.ts'
import { printRoute } from '../../app/route.ts'
import { classes } from '../../ui/classes.ts'
import { Loaded } from '../../ui/loaded.tsx'
import text from '../../ui/text.module.css'
import { webhookRoute, webhooksHome } from '../../app/webhooks-route.ts'
import { useCurrentNetwork } from '../../app/networks.ts'
import { Endpoint, StatusTag } from '../../components/webhook.tsx'
import styles from './overview.module.css'

/** More are counted, with the way to the list. */
const most = 6

/**
 * The webhooks of the network that is chosen: whether each is delivered to, and what fails. `isNews`:
 * nothing stands there unless something is wrong.
 */
export function WebhooksPanel({ isNews = false }: { isNews?: boolean }) {
  const network = useCurrentNetwork()
  if (network === null) return null
  return <OfNetwork key={network.id} network={network} isNews={isNews} />
}

function OfNetwork({ network, isNews }: { network: Network; isNews: boolean }) {
  const query = useData('webhook.list', { network: network.id })
  const hasTrouble = query.data?.webhooks.some((webhook) => trouble(webhook) > 0) === true
  if (isNews && !hasTrouble) return null
  return (
    <section className={classes(styles['panel'], isNews && styles['news'])} aria-label="Webhooks">
      <div className={styles['head']}>
        <h2>Webhooks</h2>
        <span className={styles['end']}>
          <a href={printRoute(webhooksHome)}>All webhooks</a>
        </span>
      </div>
      <Loaded query={query} of="the webhooks" rows={2}>
        {(list) => <Rows list={list} network={network} />}
      </Loaded>
    </section>
  )
}

function Rows({ list: { webhooks, readAt }, network }: { list: WebhookList; network: Network }) {
  if (webhooks.length === 0) {
    return (
      <p className={styles['hint']}>
        {readAt === null
          ? `The webhooks of ${network.name} were not read yet.`
          : `${network.name} has no webhook.`}
      </p>
    )
  }
  // What needs the person first.
  const worst = webhooks.toSorted((a, b) => trouble(b) - trouble(a)).slice(0, most)
  const left = webhooks.length - worst.length
  return (
    <>
      <ul className={styles['webhooks']}>
        {worst.map((webhook) => (
          <Row key={webhook.id} webhook={webhook} />
        ))}
      </ul>
      <p className={styles['hint']}>
        {left > 0 && `${formatCount(left, 'more webhook')}. `}
        {readAt !== null && (
          <>
            Read <Moment at={fromMs(readAt)} />.
          </>
        )}
      </p>
    </>
  )
}

function trouble({ status, failing }: Webhook): number {
  return (status === 'offline' || status === 'suspended' ? 2 : 0) + (failing > 0 ? 1 : 0)
}

function Row({ webhook }: { webhook: Webhook }) {
  const { id, network, endpoint, failing, accounts } = webhook
  const to = (tab: 'overview' | 'failures') => printRoute({ ...webhookRoute(id, tab), network })
  return (
    <li className={styles['webhook']}>
      <StatusTag webhook={webhook} />
      <a href={to('overview')} className={styles['webhookLink']}>
        <Endpoint url={endpoint} mono />
      </a>
      {failing > 0 ? (
        <a href={to('failures')} className={styles['failing']}>
          {formatNumber(failing)} failing
        </a>
      ) : (
        <span className={text['dim']}>
          {accounts === null ? '' : formatCount(accounts, 'account')}
        </span>
      )}
    </li>
  )
}
