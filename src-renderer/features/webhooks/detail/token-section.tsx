import type { Webhook } from '../../../../src-preload/contract/webhook.ts'
import { Button } from '../../../ui/button.tsx'
import { CopyButton } from '../../../ui/copy-button.tsx'
import pane from '../../../ui/pane.module.css'
import { Tag } from '../../../ui/tag.tsx'
import text from '../../../ui/text.module.css'
import { useShownNetwork } from '../../../components/chain/of-network.tsx'
import { revealToken, rotateToken } from './webhook-commands.tsx'
import styles from './detail.module.css'

/** The bearer that its deliveries carry: known by its end, copied for one's own backend. */
export function TokenSection({ webhook }: { webhook: Webhook }) {
  const network = useShownNetwork()
  const { tokenHint, tokenKnown } = webhook
  return (
    <section className={pane['section']} aria-label="Token">
      <h3>Token</h3>
      <p className={styles['line']}>
        {tokenHint === null ? (
          'The gateway does not tell it.'
        ) : (
          <span className={text['mono']}>…{tokenHint}</span>
        )}
        {tokenKnown ? (
          <Tag tone="ok">this receiver checks by it</Tag>
        ) : (
          <Tag
            tone="warn"
            title="Without its token, what claims to be a delivery of this webhook cannot be told from a forgery."
          >
            not known to this receiver
          </Tag>
        )}
      </p>
      <p className={styles['note']}>
        Each delivery carries it as <code>Authorization: Bearer</code>. Your backend needs it to
        tell a delivery from a forgery.
      </p>
      <div className={styles['line']}>
        {tokenHint !== null && (
          <CopyButton text={() => revealToken(webhook)} what="Token" label="Copy token" />
        )}
        <Button icon="key" onClick={() => void rotateToken(webhook, network)}>
          Rotate…
        </Button>
      </div>
    </section>
  )
}
