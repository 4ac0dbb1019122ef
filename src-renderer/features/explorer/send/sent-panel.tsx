import { Icon } from '../../../ui/icons.tsx'
import { transactionHref } from '../../../components/chain/chain-links.ts'
import { HashText } from '../../../components/chain/hash-text.tsx'
import { useShownNetwork } from '../../../components/chain/of-network.tsx'
import type { SentMessage } from './sending.ts'
import { ValidUntil } from './valid-until.tsx'
import styles from './send.module.css'

/** What became of a message that was sent. */
export function SentPanel({ sent }: { sent: SentMessage }) {
  const { id } = useShownNetwork()
  const { messageHash, transactionHash, validUntil, state, problem, isUncertain } = sent
  return (
    // Not a live region: the time that is left would be heard each second. What happens is announced.
    <section className={styles['sent']} aria-label="Sent message">
      {state === 'waiting' && (
        <>
          <p>
            <strong>Sent. Waiting for it to be on the chain…</strong>{' '}
            {validUntil !== null && <ValidUntil at={validUntil} />}
          </p>
          {isUncertain && (
            <p className={styles['doubt']}>
              The connection broke off while it was sent: it may or may not be on its way. It is not
              sent again by itself.
            </p>
          )}
          {problem !== null && (
            <p className={styles['doubt']}>
              Asking after it failed, it is tried again: {problem.message}
            </p>
          )}
        </>
      )}
      {state === 'found' && (
        <p>
          <Icon name={sent.transactionSuccess === false ? 'warning' : 'check'} size={14} />{' '}
          <strong>
            {sent.transactionSuccess === false
              ? 'It is on the chain, and its transaction failed.'
              : 'It is on the chain.'}
          </strong>{' '}
          {transactionHash !== null && (
            <a href={transactionHref(transactionHash, id)}>Open its transaction</a>
          )}
        </p>
      )}
      {state === 'expired' && (
        <p>
          <Icon name="warning" size={14} /> <strong>It has expired.</strong> It was on no block
          before its time ran out and can do nothing any more. Sign a new one.
        </p>
      )}
      <HashText hash={messageHash} what="Message hash" />
    </section>
  )
}
