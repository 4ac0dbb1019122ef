import type { Webhook, WebhookMove } from '../../../../src-preload/contract/webhook.ts'
import { shortenReceiverUrl } from '../../../ui/format.ts'
import { Button } from '../../../ui/button.tsx'
import { classes } from '../../../ui/classes.ts'
import detail from '../detail/detail.module.css'
import { openMove } from './move-dialog.tsx'
import { progressWords } from './move-words.ts'

/** A move under way, at either of its webhooks. */
export function MoveBar({ move, of }: { move: WebhookMove; of: Webhook }) {
  const { from, to, problem } = move
  const isOld = from.id === of.id
  return (
    <div
      className={classes(detail['bar'], problem === null ? detail['plain'] : detail['warn'])}
      role="status"
    >
      <p>
        {isOld
          ? `It is moving to ${shortenReceiverUrl(to.endpoint)}`
          : `It is taking over from ${shortenReceiverUrl(from.endpoint)}`}
        {problem === null ? `: ${progressWords(move)}.` : `, and waits. ${problem}`}
      </p>
      <Button onClick={() => openMove({ network: of.network, ...from })}>Show the steps</Button>
    </div>
  )
}
