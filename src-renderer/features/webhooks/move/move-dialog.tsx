/**
 * Moves of webhooks to other endpoints: the dialog, the texts of the steps, and the actions that
 * each step allows.
 */
import { useState } from 'react'
import type { Network, NetworkId } from '../../../../src-preload/contract/network.ts'
import type { Webhook, WebhookMove, MoveStep } from '../../../../src-preload/contract/webhook.ts'
import { request, reload, attempt, useData } from '../../../app/bridge.ts'
import { type DialogProps, openDialog } from '../../../app/features.tsx'
import { navigate } from '../../../app/route.ts'
import { webhookRoute } from '../../../app/webhooks-route.ts'
import { NetworkStakes, confirmOn } from '../../../components/network-tag.tsx'
import { withoutScheme } from '../../../components/webhook.tsx'
import { jobListInput, takeOwnJob, useJobs, watchJobs } from '../../../components/jobs/job-kind.tsx'
import { type Tone, Hint, Note, Row, Stack, Tag, Text, Small } from '../../../ui/layout.tsx'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { announce } from '../../../ui/toast.tsx'
import { shortenReceiverUrl, formatCount, formatNumber } from '../../../ui/format.ts'
import { Icon } from '../../../ui/icons.tsx'
import { Progress } from '../../../ui/loaded.tsx'
import { EndpointDialog } from '../endpoint-dialog.tsx'

type From = Pick<Webhook, 'network' | 'id' | 'endpoint'>

export const openMove = (from: From) => openDialog('moveWebhook', from)

/** The dialog that moves a webhook to another endpoint. A move continues when the dialog is closed. */
export function MoveDialog({ input: from, onClose }: DialogProps<'moveWebhook'>) {
  const { data: networks } = useData('network.list')
  const network = networks?.networks.find(({ id }) => id === from.network)
  const moves = useMoves(from.network)
  const [moveId, setMoveId] = useState<number | null>(null)
  const move = moves.find(({ id }) => id === moveId) ?? currentMove(moves, from.id)
  // The dialog keeps showing a finished move, which is no longer the current move of the webhook.
  if (move !== null && move.id !== moveId) setMoveId(move.id)
  if (network === undefined) return null
  if (move === null) {
    return <NewMove from={from} network={network} onStarted={setMoveId} onClose={onClose} />
  }
  return (
    <Dialog open onClose={onClose} wide title={titleOf(move)} detail={describeFrom(from)}>
      <Steps move={move} network={network} onClose={onClose} />
    </Dialog>
  )
}

const describeFrom = ({ id, endpoint }: From) => `Webhook ${id}, ${withoutScheme(endpoint)}`

function titleOf({ state, to }: WebhookMove): string {
  const where = shortenReceiverUrl(to.endpoint)
  if (state === 'done') return `Moved to ${where}`
  return state === 'rolled-back' ? 'The move was rolled back' : `Moving to ${where}`
}

type NewMoveProps = { from: From; network: Network; onStarted: (id: number) => void }

function NewMove({ from, network, onStarted, onClose }: NewMoveProps & { onClose: () => void }) {
  const { network: id, id: webhook, endpoint } = from
  const refuse = (to: string) => {
    if (to === '') return 'Enter the URL to move to.'
    return to === endpoint ? 'The webhook already delivers to this URL.' : null
  }

  const begin = async (to: string) => {
    const move = await request('move.start', { network: id, id: webhook, endpoint: to })
    takeMove(move)
    reload('job.list', jobListInput('move', from))
    onStarted(move.id)
    announce('The move has started')
  }

  return (
    <EndpointDialog
      title="Move to another endpoint"
      detail={describeFrom(from)}
      label="New endpoint"
      network={id}
      current={endpoint}
      action="Start the move"
      refuse={refuse}
      onClose={onClose}
      onSubmit={begin}
    >
      <NetworkStakes network={network} />
      <Hint>
        Tondesk creates a webhook for the new endpoint, copies every subscription to it, and then
        deletes the old webhook. Until then both webhooks deliver: events arrive twice, and no event
        is lost. Your backend needs the token of the new webhook. You can roll back the move until
        the old webhook is deleted.
      </Hint>
    </EndpointDialog>
  )
}

type StepsProps = { move: WebhookMove; network: Network; onClose: () => void }

/** Shows the steps of a move, and its actions. */
function Steps({ move, network, onClose }: StepsProps) {
  const { state, problem, to } = move
  const openNew = () => {
    if (to.id !== null) navigate(webhookRoute({ id: to.id, network: move.network }))
    onClose()
  }
  return (
    <Stack tabIndex={-1} gap="l">
      <Stack as="ol" gap="none" line="box" aria-label="Steps of the move">
        {moveSteps.map((step, index) => (
          <StepItem key={step} step={step} number={index + 1} move={move} />
        ))}
      </Stack>
      {problem !== null && (
        <Note tone="warn">
          <span role="alert">{problem}</span>
        </Note>
      )}
      {state === 'rolling-back' && <p role="status">The move is being rolled back…</p>}
      <Row wrap>
        {canRollBack(move) && (
          <Button kind="danger" icon="undo" onClick={() => void rollBackMove(move, network)}>
            Roll back…
          </Button>
        )}
        {canFinish(move) && (
          <Button kind="danger" onClick={() => void finishMove(move, network)}>
            Delete the old webhook anyway…
          </Button>
        )}
        <Row last wrap>
          {!isOver(move) && !canResume(move) && (
            <Small>The move continues even if you close this dialog.</Small>
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
        </Row>
      </Row>
    </Stack>
  )
}

const stepStates: Record<StepState, { readonly word: string; readonly tone: Tone }> = {
  done: { word: 'done', tone: 'ok' },
  now: { word: 'in progress', tone: 'plain' },
  waits: { word: 'waiting', tone: 'warn' },
  'to-come': { word: 'not started', tone: 'plain' },
}

function StepItem({ step, number, move }: { step: Step; number: number; move: WebhookMove }) {
  const state = stateOf(step, move)
  const { name, detail } = stepLabels[step]
  const isCurrent = state === 'now' || state === 'waits'
  const counts = isCurrent && (step === 'copy' || step === 'drain')
  const { word, tone } = stepStates[state]
  return (
    <Row
      as="li"
      gap="l"
      pad="m"
      line={number === 1 ? undefined : 'above'}
      aria-current={isCurrent ? 'step' : undefined}
    >
      <Tag tone={tone}>{state === 'done' ? <Icon name="check" size={13} /> : number}</Tag>
      <Stack gap="xs" grow>
        <Text as="h3" tone={isCurrent ? 'accent' : undefined}>
          {name}
          <Text hidden>, {word}</Text>
        </Text>
        <Hint>{counts ? asSentence(describeProgress(move)) : detail}</Hint>
        {step === 'copy' && isCurrent && move.total !== null && (
          <Progress label="Accounts copied" done={move.copied} of={move.total} />
        )}
      </Stack>
    </Row>
  )
}

const asSentence = (words: string): string => `${words.charAt(0).toUpperCase()}${words.slice(1)}.`

/** The bar of a move in progress, which both of its webhooks show. */
export function MoveBar({ move, of }: { move: WebhookMove; of: Webhook }) {
  const { from, to, problem } = move
  const what =
    from.id === of.id
      ? `This webhook is moving to ${shortenReceiverUrl(to.endpoint)}`
      : `This webhook is taking over the subscriptions of ${shortenReceiverUrl(from.endpoint)}`
  return (
    <Note tone={problem === null ? 'plain' : 'warn'}>
      <Row role="status">
        <Text over="break">
          {what}
          {problem === null ? `: ${describeProgress(move)}.` : `. The move is waiting: ${problem}`}
        </Text>
        <Row last>
          <Button onClick={() => openMove({ network: of.network, ...from })}>Show steps</Button>
        </Row>
      </Row>
    </Note>
  )
}

/** Loads the moves of a network's webhooks, newest first. */
export function useMoves(network: NetworkId): readonly WebhookMove[] {
  const { data = [] } = useJobs('move', network)
  return data
}

function takeMove(move: WebhookMove): void {
  takeOwnJob('move', move)
}

watchJobs('move', (now, before) => {
  for (const move of now) {
    const former = before.find(({ id }) => id === move.id)
    if (former !== undefined && former !== move) announceChange(former, move)
  }
})

function announceChange(before: WebhookMove, { state, problem, to }: WebhookMove): void {
  if (state === 'done' && before.state !== 'done') {
    announce(`The webhook has moved to ${withoutScheme(to.endpoint)}`)
  }
  if (state === 'rolled-back' && before.state !== state) announce('The move was rolled back')
  if (problem !== null && before.problem === null) announce(`The move is waiting: ${problem}`)
}

export const isOver = ({ state }: WebhookMove) => state === 'done' || state === 'rolled-back'

/** Returns the move in progress from or to a webhook. */
export const currentMove = (moves: readonly WebhookMove[], webhook: string): WebhookMove | null =>
  moves.find((move) => !isOver(move) && (move.from.id === webhook || move.to.id === webhook)) ??
  null

/** Returns the move that deleted a webhook. */
export const movedTo = (moves: readonly WebhookMove[], webhook: string): WebhookMove | null =>
  moves.find(({ state, from }) => state === 'done' && from.id === webhook) ?? null

/** The steps of a move in their order. */
export const moveSteps = ['create', 'copy', 'compare', 'drain', 'switch', 'delete'] as const
export type Step = (typeof moveSteps)[number]

const stepLabels: Record<Step, { readonly name: string; readonly detail: string }> = {
  create: {
    name: 'Create the new webhook',
    detail: 'The new webhook gets its own token, which this receiver accepts immediately.',
  },
  copy: {
    name: 'Copy the subscriptions',
    detail:
      'Copies accounts, opcodes, mempool and new contracts. Both webhooks deliver from this step on.',
  },
  compare: {
    name: 'Compare both webhooks',
    detail: 'The new webhook must have every subscription of the old webhook.',
  },
  drain: {
    name: 'Wait for pending deliveries of the old webhook',
    detail: 'The old webhook delivers its remaining events, so that no event is lost.',
  },
  switch: {
    name: 'Assign the stored data to the new webhook',
    detail:
      'The history and the missed-event checks of the old webhook continue under the new webhook.',
  },
  delete: {
    name: 'Delete the old webhook',
    detail: 'The gateway deletes the subscriptions of the old webhook too.',
  },
}

export type StepState = 'done' | 'now' | 'waits' | 'to-come'

export function stateOf(step: Step, move: WebhookMove): StepState {
  const at = indexOf(move.step)
  const own = moveSteps.indexOf(step)
  if (move.state === 'done' || own < at) return 'done'
  if (own > at || move.state === 'rolled-back') return 'to-come'
  return move.state === 'running' && move.problem === null ? 'now' : 'waits'
}

const indexOf = (step: MoveStep): number =>
  step === 'done' ? moveSteps.length : moveSteps.indexOf(step)

/** Describes the progress of a move in a few words. */
function describeProgress(move: WebhookMove): string {
  const { state, step, problem, copied, total, undelivered } = move
  if (state === 'rolling-back') return 'rolling back'
  if (state === 'rolled-back') return 'rolled back'
  if (step === 'copy') {
    return total === null
      ? `${formatCount(copied, 'account')} copied`
      : `${formatNumber(copied)} of ${formatCount(total, 'account')} copied`
  }
  if (step === 'drain' && (problem === null || undelivered > 0)) {
    return undelivered === 0
      ? 'no known pending deliveries; a delivery attempt in progress may take a few seconds'
      : `${formatCount(undelivered, 'account')} with undelivered events`
  }
  return step === 'done' ? 'done' : stepLabels[step].name.toLowerCase()
}

/** A move can be rolled back until the old webhook is being deleted. */
export const canRollBack = ({ state, step }: WebhookMove): boolean =>
  (state === 'running' || state === 'paused') && step !== 'delete' && step !== 'done'

/**
 * True if the user may delete the old webhook despite undelivered events, because a problem delays
 * the move.
 */
export function canFinish({ state, step, to, problem, undelivered }: WebhookMove): boolean {
  const isBefore = step !== 'delete' && step !== 'done' && to.id !== null
  const isHeldUp = problem !== null || undelivered > 0
  return (state === 'running' || state === 'paused') && isBefore && isHeldUp
}

/** True if the move has stopped until the user continues it. */
export const canResume = ({ state, problem }: WebhookMove): boolean =>
  state === 'paused' || (state === 'rolling-back' && problem !== null)

async function act(
  failure: string,
  route: 'move.resume' | 'move.rollBack' | 'move.finish',
  { id }: WebhookMove,
): Promise<void> {
  const next = await attempt(failure, () => request(route, { id }))
  if (next !== undefined) takeMove(next)
}

const resumeMove = (move: WebhookMove): Promise<void> =>
  act('Could not resume the move', 'move.resume', move)

async function rollBackMove(move: WebhookMove, network: Network): Promise<void> {
  const yes = await confirmOn(network, {
    title: 'Roll back the move?',
    detail: `The old webhook ${move.from.endpoint} continues to deliver and stays unchanged. The gateway deletes the new webhook ${move.to.endpoint} with its subscriptions.`,
    action: 'Roll back',
    destructive: true,
  })
  if (yes) await act('Could not roll back the move', 'move.rollBack', move)
}

async function finishMove(move: WebhookMove, network: Network): Promise<void> {
  const { from, undelivered } = move
  const pending =
    undelivered === 0
      ? `${from.endpoint} may have undelivered events.`
      : `${formatCount(undelivered, 'account')} of ${from.endpoint} ${undelivered === 1 ? 'has' : 'have'} undelivered events.`
  const yes = await confirmOn(network, {
    title: 'Delete the old webhook despite undelivered events?',
    detail: `${pending} After the webhook is deleted, the gateway no longer delivers these events. The Missed tab of the new webhook finds events of account subscriptions and can rebuild their deliveries.`,
    action: 'Delete anyway',
    destructive: true,
  })
  if (yes) await act('Could not finish the move', 'move.finish', move)
}
