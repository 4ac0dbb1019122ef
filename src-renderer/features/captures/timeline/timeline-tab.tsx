import { useEffect } from 'react'
import type { CaptureTimeline } from '../../../../src-preload/contract/meaning.ts'
import { on } from '../../../app/bridge.ts'
import { formatDuration, formatExact, formatClock, formatDay } from '../../../ui/format.ts'
import { useNow } from '../../../ui/moment.tsx'
import { throttle } from '../../../ui/throttle.ts'
import { useAnswer } from '../../../app/use-answer.ts'
import { Button } from '../../../ui/button.tsx'
import { classes } from '../../../ui/classes.ts'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { FailedState } from '../../../ui/failed-state.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { Tag } from '../../../ui/tag.tsx'
import text from '../../../ui/text.module.css'
import warning from '../../../ui/warning.module.css'
import { UntrustedText } from '../../../components/body/untrusted-text.tsx'
import { layOut } from './lay-out.ts'
import { stepWords } from './step-words.ts'
import styles from './timeline.module.css'

/** Tells of many captures come often. */
const lookMs = 700

/** The way of a delivery: from its block to whoever it was sent on to. */
export function TimelineTab({ id }: { id: number }) {
  const { state, resource } = useAnswer('meaning.timeline', { id })
  useEffect(() => {
    const again = throttle(() => void resource.reload(), lookMs)
    const ofThis = (ids: readonly number[] | null) => {
      if (ids === null || ids.includes(id)) again.call()
    }
    const stops = [
      on('capture.changed', ({ ids }) => ofThis(ids)),
      on('forward.changed', ({ captures }) => ofThis(captures)),
      on('replay.changed', again.call),
      again.cancel,
    ]
    return () => {
      for (const stop of stops) stop()
    }
  }, [id, resource])

  if (state.status === 'idle' || state.status === 'loading') {
    return <Skeleton rows={5} label="Loading its way" />
  }
  if (state.status === 'failed') {
    return (
      <FailedState
        what="Its way could not be read"
        why={state.error.message}
        onRetry={() => void resource.reload()}
      />
    )
  }
  return (
    <div className={styles['timeline']}>
      {state.problem !== null && (
        <p className={warning['bar']} role="alert">
          What you see may be old: {state.problem.message}{' '}
          <Button onClick={() => void resource.reload()}>Try again</Button>
        </p>
      )}
      <Steps moments={state.value} />
    </div>
  )
}

function Steps({ moments }: { moments: CaptureTimeline }) {
  const now = useNow()
  const arrivedAt = moments.find(({ what }) => what === 'arrived')?.at ?? moments[0]?.at
  if (arrivedAt === undefined) {
    return <EmptyState title="Nothing is known of its way" />
  }
  return (
    <ol className={styles['steps']}>
      {layOut(moments).map(({ moment, from, width }, index) => {
        const { at, what, ok } = moment
        return (
          <li key={index} className={styles['step']}>
            <span className={styles['what']}>{stepWords[what]}</span>
            <time className={classes(text['mono'], styles['at'])} title={formatExact(at)}>
              <span className={styles['day']}>{formatDay(at, Math.max(now, at))} </span>
              {formatClock(at)}
            </time>
            <span className={classes(text['number'], styles['since'])}>
              {sinceWords(at - arrivedAt, what)}
            </span>
            <span className={styles['lane']} aria-hidden="true">
              <span
                className={classes(styles['length'], !ok && styles['bad'])}
                style={{ left: `${from}%`, width: `max(3px, ${width}%)` }}
              />
            </span>
            <span className={styles['text']}>
              {!ok && <Tag tone="bad">failed</Tag>} <UntrustedText text={moment.text} />
            </span>
          </li>
        )
      })}
    </ol>
  )
}

/** From its arrival on; a block has only whole seconds, by another clock. */
function sinceWords(us: number, what: CaptureTimeline[number]['what']): string {
  if (what === 'arrived') return ''
  const sign = us < 0 ? '−' : '+'
  return `${what === 'block' ? '≈ ' : ''}${sign}${formatDuration(Math.abs(us))}`
}
