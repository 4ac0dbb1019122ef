import { useEffect, useMemo } from 'react'
import type { Network } from '../../../src-preload/contract/network.ts'
import type { Output } from '../../../src-preload/contract/routes.ts'
import { on, request } from '../../app/bridge.ts'
import { formatAmount } from '../../components/amount.ts'
import { formatCount, formatNumber } from '../../ui/format.ts'
import { announce } from '../../ui/live-region.tsx'
import { invoicesHome, invoicesOf } from '../../app/invoices-route.ts'
import { openNewInvoice } from '../../app/new-invoice.ts'
import { put, useData } from '../../app/queries.ts'
import { valueOf } from '../../app/resource.ts'
import { printRoute } from '../../app/route.ts'
import { useForm } from '../../app/use-form.ts'
import { throttle } from '../../ui/throttle.ts'
import { Button } from '../../ui/button.tsx'
import { classes } from '../../ui/classes.ts'
import { Loaded } from '../../ui/loaded.tsx'
import text from '../../ui/text.module.css'
import { useAnswer } from '../../app/use-answer.ts'
import { useGatewayNow } from '../../components/gateway-clock.ts'
import { useCurrentNetwork } from '../../app/networks.ts'
import overview from './overview.module.css'
import styles from './invoices-panel.module.css'

/**
 * The invoices of the network that is chosen: what waits, what was paid today, what needs a person.
 * `isNews`: nothing stands there unless there are some.
 */
export function InvoicesPanel({ isNews = false }: { isNews?: boolean }) {
  const network = useCurrentNetwork()
  // Where no invoices are to be had there is nothing to say of them.
  if (network === null || network.urls?.console === null) return null
  const hasToken = network.kind === 'sandbox' || network.secrets.invoices !== null
  if (!hasToken) return isNews ? null : <NoAccess network={network} />
  return <OfNetwork key={network.id} network={network} isNews={isNews} />
}

const access = printRoute({ ...invoicesHome, view: 'access' })

function NoAccess({ network }: { network: Network }) {
  return (
    <section className={overview['panel']} aria-label="Invoices">
      <p className={styles['hint']}>
        No access to the invoices of {network.name} yet. <a href={access}>Get it</a>
      </p>
    </section>
  )
}

function OfNetwork({ network, isNews }: { network: Network; isNews: boolean }) {
  const query = useData('invoice.counts', { network: network.id })
  const known = query.data
  if (isNews && (known === undefined || known.total + known.matters === 0)) return null
  return (
    <section
      className={classes(overview['panel'], isNews && overview['news'])}
      aria-label="Invoices"
    >
      <div className={overview['head']}>
        <h2>Invoices</h2>
        <span className={overview['end']}>
          <a href={printRoute(invoicesHome)}>All invoices</a>
        </span>
      </div>
      <Loaded query={query} of="the invoices" rows={2}>
        {(counts) =>
          counts.total === 0 && counts.matters === 0 ? (
            <Empty network={network} />
          ) : (
            <Numbers network={network} counts={counts} />
          )
        }
      </Loaded>
      <StatusWebhook network={network} />
    </section>
  )
}

function Empty({ network }: { network: Network }) {
  return (
    <p className={overview['hint']}>
      {network.name} has no invoice yet.{' '}
      <Button kind="link" onClick={openNewInvoice}>
        Create one
      </Button>
    </p>
  )
}

function Numbers({ network, counts }: { network: Network; counts: Output<'invoice.counts'> }) {
  const today = usePaidToday(network)
  const { matters, byStatus } = counts
  const period = { by: 'ended', from: today.from, to: today.to } as const
  const { tally } = today
  return (
    <ul className={styles['numbers']}>
      <li>
        <a href={printRoute(invoicesOf({ statuses: ['pending'] }))}>
          <b>{formatNumber(byStatus['pending'] ?? 0)}</b> pending
        </a>
      </li>
      <li>
        <a href={printRoute(invoicesOf({ statuses: ['paid'], period }))}>
          <b>{tally === null ? '–' : formatNumber(tally.paid)}</b> paid today
        </a>
        {tally !== null &&
          (['TON', 'USDT'] as const).map(
            (currency) =>
              tally.volume[currency] !== '0' && (
                <span key={currency} className={classes(text['mono'], styles['volume'])}>
                  {formatAmount(tally.volume[currency], currency)} {currency}
                </span>
              ),
          )}
      </li>
      <li>
        <a
          href={printRoute({ ...invoicesHome, view: 'attention', matter: null })}
          className={matters > 0 ? styles['bad'] : undefined}
        >
          <b>{formatNumber(matters)}</b> {matters === 1 ? 'needs' : 'need'} attention
        </a>
      </li>
    </ul>
  )
}

/** Looked at anew at most this often: under load invoices change several times a second. */
const leastMs = 2000

/** From midnight on, by the gateway's clock and this computer's zone. */
function usePaidToday(network: Network) {
  const midnight = new Date(useGatewayNow(network.id) / 1000)
  midnight.setHours(0, 0, 0, 0)
  const next = new Date(midnight)
  next.setDate(next.getDate() + 1)
  const [from, to] = [midnight.getTime(), next.getTime()]
  const { state, resource } = useAnswer('invoiceStats.figures', { network: network.id, from, to })
  const looks = useMemo(() => throttle(() => void resource.reload(), leastMs), [resource])
  useEffect(() => {
    const stop = on('invoice.changed', (changed) => {
      if (changed.network === network.id) looks.call()
    })
    return () => {
      stop()
      looks.cancel()
    }
  }, [network.id, looks])
  return { from, to, tally: valueOf(state)?.now ?? null }
}

/** Whether this receiver gets status changes; the specification has the Overview register it. */
function StatusWebhook({ network: { id } }: { network: Network }) {
  const { data, error } = useData('invoiceAccess.read', { network: id })
  const form = useForm({}, async () => {
    const url = data?.receiverUrl ?? ''
    const changed = await request('invoiceAccess.addWebhook', { network: id, url })
    put('invoiceAccess.read', { network: id }, changed)
    announce('Webhook registered')
  })
  if (data === undefined) {
    if (error === null) return null
    return (
      <p className={styles['hint']}>
        {error.message} <a href={access}>Access</a>
      </p>
    )
  }
  const { application, canManage, steps } = data
  const webhooks = application?.webhooks ?? []
  const isHere = webhooks.some((webhook) => webhook.isHere)
  const hasAccess =
    application !== null || steps.some((step) => step.id === 'webhook' && step.state === 'open')
  const others = webhooks.length - (isHere ? 1 : 0)
  if (isHere) {
    return (
      <p className={styles['hint']}>
        This receiver{others > 0 && ` and ${formatCount(others, 'other webhook')}`} receive
        {others === 0 && 's'} status changes. <a href={access}>Change</a>
      </p>
    )
  }
  return (
    <>
      <p className={styles['offer']}>
        <span className={styles['hint']}>
          {hasAccess ? 'Invoice webhook not set up.' : 'Invoices are not set up.'}{' '}
          <a href={access}>{hasAccess ? 'Webhooks' : 'Set up'}</a>
        </span>
        {canManage && application !== null && (
          <Button busy={form.busy} onClick={form.submit}>
            Use this receiver
          </Button>
        )}
      </p>
      {form.problem !== null && (
        <p className={styles['hint']} role="alert">
          {form.problem}
        </p>
      )}
    </>
  )
}
