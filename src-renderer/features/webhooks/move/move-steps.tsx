import type { Network } from '../../../../src-preload/contract/network.ts'
import type { WebhookMove } from '../../../../src-preload/contract/webhook.ts'
import { navigate } from '../../../app/route.ts'
import { Button } from '../../../ui/button.tsx'
import { classes } from '../../../ui/classes.ts'
import { Icon } from '../../../ui/icons.tsx'
import text from '../../../ui/text.module.css'
import { useKeptFocus } from '../../../ui/use-kept-focus.ts'
import { webhookRoute } from '../../../app/webhooks-route.ts'
import { Progress } from '../../../ui/progress.tsx'
import { finishMove, resumeMove, rollBackMove } from './move-commands.tsx'
import {
  type Step,
  type StepState,
  canFinish,
  canResume,
  canRollBack,
  progressWords,
  stateOf,
  steps,
  stepWords,
} from './move-words.ts'
import { isOver } from './moves.ts'
import styles from './move.module.css'

/** A move as it goes on, with what can be done about it. */
export function MoveSteps({
  move,
  network,
  onClose,
}: {
  move: WebhookMove
  network: Network
  onClose: () => void
}) {
  const { state, problem, to } = move
  const area = useKeptFocus<HTMLDivElement>()
  const openNew = () => {
    if (to.id !== null) navigate({ ...webhookRoute(to.id), network: move.network })
    onClose()
  }
  return (
    <div ref={area} tabIndex={-1} className={styles['move']}>
      <ol className={styles['steps']} aria-label="Steps of the move">
        {steps.map((step, index) => (
          <StepItem key={step} step={step} number={index + 1} move={move} />
        ))}
      </ol>
      {problem !== null && (
        <p className={styles['problem']} role="alert">
          <Icon name="warning" size={14} /> {problem}
        </p>
      )}
      {state === 'rolling-back' && <p role="status">It is being rolled back…</p>}
      <div className={styles['buttons']}>
        {canRollBack(move) && (
          <Button kind="danger" icon="undo" onClick={() => void rollBackMove(move, network)}>
            Roll back…
          </Button>
        )}
        {canFinish(move) && (
          <Button kind="danger" onClick={() => void finishMove(move, network)}>
            Finish anyway…
          </Button>
        )}
        <span className={styles['end']}>
          {!isOver(move) && !canResume(move) && (
            <span className={styles['note']}>It goes on when this is closed.</span>
          )}
          <Button onClick={onClose}>Close</Button>
          {canResume(move) && (
            <Button kind="main" icon="play" onClick={() => void resumeMove(move)}>
              Resume
            </Button>
          )}
          {state === 'done' && to.id !== null && (
            <Button kind="main" onClick={openNew}>
              Open the new webhook
            </Button>
          )}
        </span>
      </div>
    </div>
  )
}

const said: Record<StepState, string> = {
  done: 'done',
  now: 'being done',
  waits: 'waits',
  'to-come': 'to come',
}

function StepItem({ step, number, move }: { step: Step; number: number; move: WebhookMove }) {
  const state = stateOf(step, move)
  const { name, detail } = stepWords[step]
  const isCurrent = state === 'now' || state === 'waits'
  const counts = isCurrent && (step === 'copy' || step === 'drain')
  return (
    <li className={styles['step']} aria-current={isCurrent ? 'step' : undefined}>
      <span className={classes(styles['mark'], styles[state])}>
        {state === 'done' ? <Icon name="check" size={13} /> : number}
      </span>
      <div className={styles['words']}>
        <h3>
          {name}
          <span className={text['hidden']}>, {said[state]}</span>
        </h3>
        <p className={styles['note']}>{counts ? asSentence(progressWords(move)) : detail}</p>
        {step === 'copy' && isCurrent && move.total !== null && (
          <Progress label="Accounts copied" done={move.copied} of={move.total} />
        )}
      </div>
    </li>
  )
}

function asSentence(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`
}
