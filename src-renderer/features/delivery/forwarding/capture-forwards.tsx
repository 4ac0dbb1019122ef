import { useEffect } from 'react'
import type { ReplaySending } from '../../../../src-preload/contract/replay.ts'
import { on } from '../../../app/bridge.ts'
import { formatSecond } from '../../../ui/format.ts'
import { Moment } from '../../../ui/moment.tsx'
import type { Resource } from '../../../app/resource.ts'
import { type Answer, useAnswer } from '../../../app/use-answer.ts'
import { navigate, printRoute } from '../../../app/route.ts'
import { throttle } from '../../../ui/throttle.ts'
import { Button } from '../../../ui/button.tsx'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { FailedState } from '../../../ui/failed-state.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { Tag } from '../../../ui/tag.tsx'
import text from '../../../ui/text.module.css'
import { openReplay } from '../replays/replay-dialog-state.ts'
import { replayRoute } from '../replays/replays.ts'
import { AnswerContent, AnswerLine } from '../targets/answer-view.tsx'
import { sayAnswer } from '../targets/answer-words.ts'
import { shortTarget } from '../targets/target-words.ts'
import { type Answered, CompareMenu } from './compare-menu.tsx'
import { dropDelivery, retryDelivery } from './rule-commands.ts'
import { deliveryTones, modeWords, sayTries } from './rule-words.ts'
import { forwardingHome, ruleRoute } from './rules.ts'
import { type TriedDelivery, Tries } from './tries.tsx'
import styles from './forwarding.module.css'

/** Where a capture was sent on or again, each time with what came back. */
export function CaptureForwards({ id }: { id: number }) {
  const forwards = useAnswer('forward.ofCapture', { id })
  const replays = useAnswer('replay.ofCapture', { id })
  useLookingAgain(id, forwards.resource, replays.resource)
  const { state: forwarded } = forwards
  const { state: replayed } = replays
  const isEmpty =
    forwarded.status === 'ready' &&
    replayed.status === 'ready' &&
    forwarded.value.length + replayed.value.length === 0
  if (isEmpty) return <NoneYet id={id} />
  const deliveries = forwarded.status === 'ready' ? forwarded.value : []
  const sendings = replayed.status === 'ready' ? replayed.value : []
  const answers = [...deliveries.flatMap(answeredBy), ...sendings.map(answeredTo)]
  return (
    <div className={styles['tab']}>
      <div className={styles['tabHead']}>
        <Button icon="play" onClick={() => openReplay({ kind: 'captures', ids: [id] })}>
          Replay…
        </Button>
        <Button
          kind="quiet"
          onClick={() => openReplay({ kind: 'captures', ids: [id] }, { edited: true })}
        >
          Edit and replay…
        </Button>
      </div>
      <Part of={forwards} what="The forwards">
        {deliveries.length > 0 && <h3 className={styles['group']}>Forwards</h3>}
        {deliveries.map((delivery) => (
          <Forwarded
            key={delivery.deliveryId}
            delivery={delivery}
            answers={answers}
            onChanged={() => void forwards.resource.reload()}
          />
        ))}
      </Part>
      <Part of={replays} what="The replays">
        {sendings.length > 0 && <h3 className={styles['group']}>Replays</h3>}
        {sendings.map((sending) => (
          <Replayed key={sending.replayId} sending={sending} answers={answers} />
        ))}
      </Part>
    </div>
  )
}

function NoneYet({ id }: { id: number }) {
  return (
    <EmptyState
      title="It went no further yet"
      detail="Here is where this delivery was forwarded or replayed, with each try and its answer. A rule takes what arrives once it is there; this one can be replayed."
    >
      <Button kind="main" icon="play" onClick={() => openReplay({ kind: 'captures', ids: [id] })}>
        Replay…
      </Button>
      <Button onClick={() => navigate(forwardingHome)}>Forwarding rules</Button>
    </EmptyState>
  )
}

/** One of the two lists, in whichever state it is. */
function Part<T>({
  of: { state, resource },
  what,
  children,
}: {
  of: Answer<T>
  what: string
  children: React.ReactNode
}) {
  if (state.status === 'failed') {
    return (
      <FailedState
        what={`${what} could not be read`}
        why={state.error.message}
        onRetry={() => void resource.reload()}
      />
    )
  }
  if (state.status !== 'ready') return <Skeleton rows={3} label="Loading" />
  return children
}

function Forwarded({
  delivery,
  answers,
  onChanged,
}: {
  delivery: TriedDelivery
  answers: readonly Answered[]
  onChanged: () => void
}) {
  const { rule, ruleName, target, mode, state } = delivery
  const [own] = answeredBy(delivery)
  const act = async (work: Promise<unknown>) => {
    if ((await work) !== undefined) onChanged()
  }
  return (
    <section className={styles['card']} aria-label={`Forwarded to ${target}`}>
      <div className={styles['cardHead']}>
        <Tag tone={deliveryTones[state]}>{state}</Tag>
        <span className={`${text['mono'] ?? ''} ${styles['url'] ?? ''}`}>{target}</span>
        <span className={text['dim']}>
          {sayTries(delivery)}, {modeWords[mode]}, by{' '}
          <a href={printRoute(ruleRoute(rule))}>{ruleName === '' ? `rule ${rule}` : ruleName}</a>
        </span>
        <span className={styles['end']}>
          {own !== undefined && <CompareMenu of={own} among={answers} />}
          <Button icon="refresh" onClick={() => void act(retryDelivery(delivery))}>
            {state === 'delivered' ? 'Send again…' : 'Retry'}
          </Button>
          {state === 'waiting' && (
            <Button kind="danger" onClick={() => void act(dropDelivery(delivery))}>
              Drop…
            </Button>
          )}
        </span>
      </div>
      <Tries delivery={delivery} />
    </section>
  )
}

function Replayed({ sending, answers }: { sending: ReplaySending; answers: readonly Answered[] }) {
  const { replayId, job, at, target, edited, again, capture, answer } = sending
  return (
    <section className={styles['card']} aria-label={`Replay ${replayId}`}>
      <div className={styles['cardHead']}>
        <AnswerLine answer={answer} />
        <span className={`${text['mono'] ?? ''} ${styles['url'] ?? ''}`}>{target}</span>
        {edited && <Tag>edited</Tag>}
        {again && (
          <Tag
            tone="warn"
            title="It was under way when Tondesk ended: the target may have had it before, with the same id."
          >
            perhaps twice
          </Tag>
        )}
        <span className={text['dim']}>
          <Moment at={at} />, <a href={printRoute(replayRoute(job))}>replay {replayId}</a>
        </span>
        <span className={styles['end']}>
          <CompareMenu of={answeredTo(sending)} among={answers} />
          <Button
            icon="play"
            onClick={() => openReplay({ kind: 'captures', ids: [capture] }, { target })}
          >
            Replay…
          </Button>
        </span>
      </div>
      <details className={styles['try']}>
        <summary>What came back</summary>
        <div className={styles['inTry']}>
          <AnswerContent answer={answer} />
        </div>
      </details>
    </section>
  )
}

/** The newest try of a delivery is what it is compared by; one without an answer has nothing to show. */
function answeredBy({ deliveryId, target, tries }: TriedDelivery): Answered[] {
  const [last] = tries
  if (last === undefined || last.answer.status === null) return []
  const name = `Forward to ${shortTarget(target)}: ${sayAnswer(last.answer)}`
  return [{ one: { kind: 'forward', deliveryId }, name }]
}

function answeredTo({ replayId, at, answer }: ReplaySending): Answered {
  const name = `Replay ${replayId} at ${formatSecond(at)}: ${sayAnswer(answer)}`
  return { one: { kind: 'replay', replayId }, name }
}

/** Tells of many come often: it is looked at as often as one can read. */
const lookMs = 700

function useLookingAgain(
  id: number,
  forwarded: Resource<unknown>,
  replayed: Resource<unknown>,
): void {
  useEffect(() => {
    const forwards = throttle(() => void forwarded.reload(), lookMs)
    const replays = throttle(() => void replayed.reload(), lookMs)
    const stops = [
      on('forward.changed', ({ captures }) => {
        if (captures === null || captures.includes(id)) forwards.call()
      }),
      on('replay.changed', replays.call),
      forwards.cancel,
      replays.cancel,
    ]
    return () => {
      for (const stop of stops) stop()
    }
  }, [id, forwarded, replayed])
}
