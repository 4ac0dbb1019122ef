/** What the user can do with a webhook. */
import type { Network } from '../../../src-preload/contract/network.ts'
import type { Webhook } from '../../../src-preload/contract/webhook.ts'
import { attempt, request } from '../../app/bridge.ts'
import { printRoute } from '../../app/route.ts'
import { takeWebhook } from '../../app/webhooks.ts'
import { webhookRoute } from '../../app/webhooks-route.ts'
import { confirmOn, isReal } from '../../components/network-tag.tsx'
import { withoutScheme } from '../../components/webhook.tsx'
import { copyText, announce, showToast } from '../../ui/toast.tsx'

export async function bringBackOnline({ network, id, endpoint }: Webhook): Promise<void> {
  const webhook = await attempt('Could not bring the webhook back online', () =>
    request('webhook.backOnline', { network, id }),
  )
  if (webhook === undefined) return
  takeWebhook(webhook)
  announce(`${withoutScheme(endpoint)} is ${webhook.status ?? 'about to be online again'}`)
}

export type Flag = 'mempool' | 'newContracts'

const flags = {
  mempool: { route: 'webhook.setMempool', events: 'pending messages' },
  newContracts: { route: 'webhook.setNewContracts', events: 'new contracts' },
} as const

/** On a main network, turning a flag off asks first: events until it is on again are never delivered. */
export async function setFlag(
  { network: id, ...webhook }: Webhook,
  { flag, on, network }: { flag: Flag; on: boolean; network: Network },
): Promise<void> {
  const { route, events } = flags[flag]
  if (!on && isReal(network)) {
    const yes = await confirmOn(network, {
      title: `Stop delivering ${events}?`,
      detail: `${webhook.endpoint} no longer receives ${events}. Those that occur until you turn them on again are never delivered.`,
      action: 'Turn off',
      destructive: true,
    })
    if (!yes) return
  }
  const next = await attempt(`Could not turn ${events} ${on ? 'on' : 'off'}`, () =>
    request(route, { network: id, id: webhook.id, on }),
  )
  if (next === undefined) return
  takeWebhook(next)
  announce(`Delivery of ${events} is ${on ? 'on' : 'off'}`)
}

export async function revealToken({ network, id }: Webhook): Promise<string> {
  const { token } = await request('webhook.revealToken', { network, id })
  return token
}

export async function rotateToken(webhook: Webhook, network: Network): Promise<void> {
  const { endpoint, tokenHint, isHere } = webhook
  const yes = await confirmOn(network, {
    title: `Rotate the token of webhook ${webhook.id}?`,
    detail: (
      <>
        The current token{tokenHint === null ? '' : ` (…${tokenHint})`} stops working at once. A
        backend that verifies deliveries to {endpoint} refuses them until you give it the new token.{' '}
        {isHere
          ? 'The receiver on this computer uses the new token at once.'
          : 'You can copy the new token here afterwards.'}
      </>
    ),
    action: 'Rotate token',
    destructive: true,
  })
  if (!yes) return
  const next = await attempt('Could not rotate the token', () =>
    request('webhook.rotateToken', { network: webhook.network, id: webhook.id }),
  )
  if (next === undefined) return
  takeWebhook(next)
  showToast({
    title: 'Token rotated',
    ...(next.tokenHint !== null && {
      detail: `The new token ends in ${next.tokenHint}.`,
      action: { label: 'Copy token', run: () => void copyToken(next) },
    }),
  })
}

async function copyToken(webhook: Webhook): Promise<void> {
  const token = await attempt('Could not copy the token', () => revealToken(webhook))
  if (token !== undefined) await copyText(token, 'Token')
}

export async function copyWebhookLink({ network, id }: Webhook): Promise<void> {
  const url = new URL(window.location.href)
  url.hash = printRoute({ ...webhookRoute(id), network })
  if (await copyText(url.href, 'Link')) showToast({ title: 'Link copied' })
}
