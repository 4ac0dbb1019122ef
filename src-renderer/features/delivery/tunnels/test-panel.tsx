import { create } from 'zustand'
import type { Output } from '../../../../src-preload/contract/routes.ts'
import type { TestDelivery } from '../../../../src-preload/contract/tunnel.ts'
import { attempt } from '../../../app/attempt.ts'
import { request } from '../../../app/bridge.ts'
import { formatCount, formatDuration, shortenReceiverUrl } from '../../../ui/format.ts'
import { captureHref } from '../../../app/route.ts'
import { Button } from '../../../ui/button.tsx'
import { classes } from '../../../ui/classes.ts'
import { announce } from '../../../ui/live-region.tsx'
import { TableHead } from '../../../ui/table-head.tsx'
import table from '../../../ui/table.module.css'
import { Tag } from '../../../ui/tag.tsx'
import { UntrustedText } from '../../../components/body/untrusted-text.tsx'
import styles from './tunnels.module.css'

type Result = Output<'tunnel.testDelivery'>

const head = [
  { name: 'Event' },
  { name: 'Bearer', className: styles['authCell'] },
  { name: 'Answer', className: styles['answerCell'] },
  { name: 'Time', number: true, className: styles['timeCell'] },
  { name: 'Capture', number: true, className: styles['captureCell'] },
]

const authWords: Readonly<Record<TestDelivery['auth'], string>> = {
  right: 'right',
  wrong: 'wrong',
  none: 'none',
}

/** Goes on, and stays, while one looks at what it became. */
const useTest = create<{
  readonly busy: 'public' | 'direct' | null
  readonly result: Result | null
}>(() => ({ busy: null, result: null }))

async function send(direct: boolean): Promise<void> {
  if (useTest.getState().busy !== null) return
  useTest.setState({ busy: direct ? 'direct' : 'public' })
  const result = await attempt('Could not send the test deliveries', () =>
    request('tunnel.testDelivery', { direct }),
  )
  useTest.setState({ busy: null })
  if (result === undefined) return
  useTest.setState({ result })
  announce(sayResult(result.deliveries))
}

/** A sample of each kind of event, sent as a gateway would; what becomes of each. */
export function TestPanel({ hasPublicUrl }: { hasPublicUrl: boolean }) {
  const { busy, result } = useTest()

  return (
    <section className={styles['panel']} aria-label="Test delivery">
      <div className={styles['head']}>
        <h2>Test delivery</h2>
        {result !== null && (
          <Tag tone={result.deliveries.every(({ ok }) => ok) ? 'ok' : 'bad'}>
            {sayResult(result.deliveries)}
          </Tag>
        )}
        <span className={styles['end']}>
          {hasPublicUrl && (
            <Button
              icon="send"
              kind="main"
              busy={busy === 'public'}
              onClick={() => void send(false)}
            >
              {busy === 'public' ? 'Sending…' : 'Send through the public URL'}
            </Button>
          )}
          <Button busy={busy === 'direct'} onClick={() => void send(true)}>
            {busy === 'direct' ? 'Sending…' : 'Send directly'}
          </Button>
        </span>
      </div>
      {result === null ? (
        <p className={styles['hint']}>
          Each kind of event, with the right bearer, a wrong one and none. They are kept as tests:
          no list of deliveries, invoice, figure or rule takes them for the gateway’s.
        </p>
      ) : (
        <>
          <p className={styles['hint']}>
            Sent to <span className={styles['url']}>{shortenReceiverUrl(result.url)}</span>. The
            right bearer is one for these alone: no webhook’s token leaves this computer.
          </p>
          <Deliveries deliveries={result.deliveries} />
        </>
      )}
    </section>
  )
}

function sayResult(deliveries: readonly TestDelivery[]): string {
  const bad = deliveries.filter(({ ok }) => !ok).length
  return bad === 0
    ? `all ${deliveries.length} as they should be`
    : `${formatCount(bad, 'delivery', 'deliveries')} of ${deliveries.length} not as they should be`
}

function Deliveries({ deliveries }: { deliveries: readonly TestDelivery[] }) {
  return (
    // Scrollable, so it must be reachable by keyboard.
    <div className={styles['wide']} tabIndex={0} role="region" aria-label="Test deliveries">
      <table className={classes(table['table'], styles['deliveries'])}>
        <TableHead cells={head} />
        <tbody>
          {deliveries.map((delivery) => (
            <tr key={delivery.title}>
              <td>
                <code>{delivery.kind}</code>
                {delivery.problem !== null && (
                  <p className={styles['bad']}>
                    <UntrustedText text={delivery.problem} />
                  </p>
                )}
              </td>
              <td>{authWords[delivery.auth]}</td>
              <td>
                <Tag tone={delivery.ok ? 'ok' : 'bad'}>
                  {delivery.status ?? 'none'}
                  {delivery.ok ? '' : `, not ${delivery.expected}`}
                </Tag>
              </td>
              <td className={table['number']}>
                {delivery.durationUs === 0 ? '' : formatDuration(delivery.durationUs)}
              </td>
              <td className={table['number']}>
                {delivery.capture === null ? (
                  <span className={styles['faint']}>none</span>
                ) : (
                  <a href={captureHref(delivery.capture)}>{delivery.capture}</a>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
