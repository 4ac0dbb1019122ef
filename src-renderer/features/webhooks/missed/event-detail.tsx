import type { LedgerEvent, MissedCheck } from '../../../../src-preload/contract/ledger.ts'
import { formatDuration, formatNumber, fromMs } from '../../../ui/format.ts'
import { Moment } from '../../../ui/moment.tsx'
import { captureHref } from '../../../app/route.ts'
import { IconButton } from '../../../ui/button.tsx'
import { KeyValues } from '../../../ui/kv.tsx'
import pane from '../../../ui/pane.module.css'
import { AccountLink } from '../../../components/chain/account-link.tsx'
import { transactionHref } from '../../../components/chain/chain-links.ts'
import { HashText, LtText } from '../../../components/chain/hash-text.tsx'
import { VerdictTag } from './verdict-tag.tsx'
import { sayGateway, verdicts } from './verdict-words.ts'
import styles from './missed.module.css'

/** One event as the three records have it: the chain, the gateway, this computer. */
export function EventDetail({
  check: { network },
  event,
  onClose,
}: {
  check: MissedCheck
  event: LedgerEvent
  onClose: () => void
}) {
  const { verdict, also, captures, delayMs, rebuilt } = event
  return (
    <section className={styles['detail']} aria-label="Event" tabIndex={0}>
      <div className={pane['head']}>
        <VerdictTag verdict={verdict} />
        {also.map((each) => (
          <VerdictTag key={each} verdict={each} />
        ))}
        <span className={styles['meaning']}>{verdicts[verdict].meaning}</span>
        <span className={styles['end']}>
          <IconButton icon="close" label="Close the event (Esc)" onClick={onClose} />
        </span>
      </div>
      <KeyValues
        className={styles['facts']}
        pairs={[
          [
            'Account',
            <AccountLink
              key="account"
              account={{
                address: event.account,
                label: event.label,
                name: null,
                isScam: false,
                isWallet: false,
              }}
            />,
          ],
          [
            'Chain',
            <span key="chain" className={styles['line']}>
              <HashText
                hash={event.txHash}
                href={transactionHref(event.txHash, network)}
                what="Transaction hash"
              />
              <span>
                lt <LtText lt={event.lt} />
              </span>
              <Moment at={fromMs(event.at)} />
            </span>,
          ],
          ['Gateway', sayGateway(event)],
          ['Here', <Here key="here" captures={captures} />],
          [
            'Delay',
            delayMs === null
              ? null
              : `${formatDuration(fromMs(delayMs))} from its block to the first delivery taken`,
          ],
          [
            'Rebuilt',
            rebuilt === null ? null : (
              <a key="rebuilt" href={captureHref(rebuilt)}>
                Capture {formatNumber(rebuilt)}
              </a>
            ),
          ],
        ]}
      />
    </section>
  )
}

function Here({ captures }: Pick<LedgerEvent, 'captures'>) {
  if (captures.length === 0) return 'No delivery of it came.'
  return (
    <ul className={styles['captures']}>
      {captures.map(({ id, receivedAt, status }) => (
        <li key={id}>
          <a href={captureHref(id)}>Capture {formatNumber(id)}</a>,{' '}
          {status === null ? 'not answered' : `answered ${status}`}, <Moment at={receivedAt} />
        </li>
      ))}
    </ul>
  )
}
