import type { TunnelCheck, TunnelState } from '../../../../src-preload/contract/tunnel.ts'
import { formatDuration } from '../../../ui/format.ts'
import { Moment } from '../../../ui/moment.tsx'
import { useResource, valueOf } from '../../../app/resource.ts'
import { Button } from '../../../ui/button.tsx'
import { classes } from '../../../ui/classes.ts'
import { Icon } from '../../../ui/icons.tsx'
import { Kbd } from '../../../ui/kbd.tsx'
import { Tag } from '../../../ui/tag.tsx'
import { receiver, startReceiver } from '../../../app/receiver-state.ts'
import { checkTunnel, useTunnelWork } from './tunnel.ts'
import { ViaList } from './via-list.tsx'
import styles from './tunnels.module.css'

const stepWords: Readonly<Record<TunnelCheck['steps'][number]['name'], string>> = {
  resolve: 'Name',
  connect: 'Connection',
  arrive: 'Arrival',
  answer: 'Answer',
}

/** A nonce sent through the public URL: how far it came. */
export function CheckPanel({ state: { publicUrl, check } }: { state: TunnelState }) {
  const isChecking = useTunnelWork((work) => work.isChecking)
  const status = valueOf(useResource(receiver))?.status ?? null
  if (publicUrl === null) return null
  return (
    <section className={styles['panel']} aria-label="Check">
      <div className={styles['head']}>
        <h2>Check</h2>
        {check !== null && (
          <Tag tone={check.ok ? 'ok' : 'bad'}>
            {check.ok ? 'leads to this receiver' : 'does not work'}
          </Tag>
        )}
        {check !== null && <Moment at={check.at} className={styles['faint']} />}
        <span className={styles['end']}>
          {status === 'stopped' || status === 'failed' ? (
            <Button kind="main" icon="play" onClick={() => void startReceiver()}>
              Start the receiver
            </Button>
          ) : (
            <Button icon="refresh" busy={isChecking} onClick={() => void checkTunnel()}>
              {isChecking ? 'Checking…' : 'Check'} <Kbd>c</Kbd>
            </Button>
          )}
        </span>
      </div>
      {check === null ? (
        <p className={styles['hint']}>
          Not checked since the start. A check sends one request of its own through the URL and sees
          whether it comes out here; it is no capture.
        </p>
      ) : (
        <Steps check={check} />
      )}
    </section>
  )
}

function Steps({ check }: { check: TunnelCheck }) {
  return (
    <>
      {check.problem !== null && <p className={styles['bad']}>{check.problem}</p>}
      <ol className={styles['steps']} aria-label="Steps of the check">
        {check.steps.map(({ name, state, text, durationUs }) => (
          <li key={name} className={classes(styles['step'], styles[state])}>
            <Icon name={state === 'done' ? 'check' : state === 'failed' ? 'close' : 'right'} />
            <span className={styles['stepName']}>{stepWords[name]}</span>
            <span className={styles['stepText']}>{text}</span>
            <span className={styles['took']}>
              {durationUs === null ? '' : formatDuration(durationUs)}
            </span>
          </li>
        ))}
      </ol>
      <ViaList via={check.via} />
    </>
  )
}
