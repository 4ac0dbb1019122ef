import type { Explanation } from '../../../../src-preload/contract/failure.ts'
import type { Webhook } from '../../../../src-preload/contract/webhook.ts'
import { captureHref, navigate, parseRoute } from '../../../app/route.ts'
import { Button } from '../../../ui/button.tsx'
import { transactionHref } from '../../../components/chain/chain-links.ts'
import { useShownNetwork } from '../../../components/chain/of-network.tsx'
import { startReceiver } from '../../../app/receiver-state.ts'
import { bringBackOnline, rotateToken } from '../webhook-actions.tsx'
import { checkAccount } from '../missed/new-check.ts'
import { openMove } from '../move/move-dialog.tsx'
import styles from './failures.module.css'

type Act = NonNullable<Explanation['steps'][number]['act']>

const labels: Record<Act, string> = {
  'back-online': 'Back online',
  'start-receiver': 'Start the receiver',
  'receiver-settings': 'Receiver settings',
  'sandbox-settings': 'Sandbox settings',
  move: 'Move to another endpoint…',
  'rotate-token': 'Rotate token…',
  'check-missed': 'Check what was missed',
  'open-capture': 'Open the capture',
  'open-transaction': 'Open the transaction',
}

/** What to do, most useful first, each with its button where there is one. */
export function Steps({ webhook, explanation }: { webhook: Webhook; explanation: Explanation }) {
  const network = useShownNetwork()
  const { steps, seen, transaction } = explanation
  const acts: Record<Act, (() => void) | null> = {
    'back-online': () => void bringBackOnline(webhook),
    'start-receiver': () => void startReceiver(),
    'receiver-settings': () => navigate({ page: 'settings', section: 'receiver' }),
    'sandbox-settings': () => navigate({ page: 'settings', section: 'sandbox' }),
    move: () => openMove(webhook),
    'rotate-token': () => void rotateToken(webhook, network),
    'check-missed': () => checkAccount(webhook, explanation),
    'open-capture': follow(seen.captures[0] && captureHref(seen.captures[0].id)),
    'open-transaction': follow(transaction && transactionHref(transaction.hash, webhook.network)),
  }
  if (steps.length === 0) return null
  return (
    <ol className={styles['steps']} aria-label="What to do">
      {steps.map(({ text, act }, index) => {
        const run = act === null ? null : acts[act]
        return (
          <li key={text}>
            <span>{text}</span>
            {act !== null && run !== null && (
              <Button kind={index === 0 ? 'main' : 'plain'} onClick={run}>
                {labels[act]}
              </Button>
            )}
          </li>
        )
      })}
    </ol>
  )
}

function follow(href: string | null | undefined): (() => void) | null {
  return href === null || href === undefined ? null : () => navigate(parseRoute(href))
}
