import type { Network } from '../../../../src-preload/contract/network.ts'
import type { Webhook } from '../../../../src-preload/contract/webhook.ts'
import { attempt } from '../../../app/attempt.ts'
import { request } from '../../../app/bridge.ts'
import { navigate, printRoute } from '../../../app/route.ts'
import { copyText } from '../../../ui/copy-button.tsx'
import { announce } from '../../../ui/live-region.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { webhookRoute, webhooksHome } from '../../../app/webhooks-route.ts'
import { confirmOn, isReal } from '../../../components/network-confirm.tsx'
import { focusList } from '../list/webhook-grid.tsx'
import { takeWebhook } from '../webhooks.ts'
import { withoutScheme } from '../webhook-words.ts'

export function closeWebhook(): void {
  navigate(webhooksHome)
  focusList()
}

export async function bringBackOnline({ network, id, endpoint }: Webhook): Promise<void> {
  const webhook = await attempt('Could not bring it back online', () =>
    request('webhook.backOnline', { network, id }),
  )
  if (webhook === undefined) return
  takeWebhook(webhook)
  announce(`${withoutScheme(endpoint)} is ${webhook.status ?? 'asked to be online again'}`)
}

type Flag = 'mempool' | 'newContracts'

const flags = {
  mempool: { route: 'webhook.setMempool', words: 'pending messages' },
  newContracts: { route: 'webhook.setNewContracts', words: 'new contracts' },
} as const

/** Turning one off on a main network asks first: what happens meanwhile is never delivered. */
export async function setFlag(
  { network: id, ...webhook }: Webhook,
  flag: Flag,
  on: boolean,
  network: Network,
): Promise<void> {
  const { route, words } = flags[flag]
  if (!on && isReal(network)) {
    const yes = await confirmOn(network, {
      title: `Stop delivering ${words}?`,
      detail: `${webhook.endpoint} gets no more of them. Those that come about until it is turned on again are never delivered.`,
      action: 'Turn it off',
      destructive: true,
    })
    if (!yes) return
  }
  const next = await attempt(`Could not turn ${words} ${on ? 'on' : 'off'}`, () =>
    request(route, { network: id, id: webhook.id, on }),
  )
  if (next === undefined) return
  takeWebhook(next)
  announce(`Delivering ${words} is ${on ? 'on' : 'off'}`)
}

export async function revealToken({ network, id }: Webhook): Promise<string> {
  const { token } = await request('webhook.revealToken', { network, id })
  return token
}

export async function rotateToken(webhook: Webhook, network: Network): Promise<void> {
  const { endpoint, tokenHint, isHere } = webhook
  const yes = await confirmOn(network, {
    title: 'Give the webhook a new token?',
    detail: (
      <>
        The token {tokenHint === null ? 'it has' : `that ends in ${tokenHint}`} stops working at
        once. Whoever checks deliveries to {endpoint} by it refuses them from then on, until given
        the new one.{' '}
        {isHere
          ? 'This computer’s receiver learns the new one by itself; a backend behind it does not.'
          : 'The new one can be copied here right after.'}
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
    title: 'The webhook has a new token',
    ...(next.tokenHint !== null && {
      detail: `It ends in ${next.tokenHint}.`,
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
