import { useState } from 'react'
import type { Network } from '../../../../src-preload/contract/network.ts'
import type { Webhook, WebhookMove } from '../../../../src-preload/contract/webhook.ts'
import { request, reload, useData } from '../../../app/bridge.ts'
import { type DialogProps, openDialog } from '../../../app/features.tsx'
import { navigate } from '../../../app/route.ts'
import { webhookRoute } from '../../../app/webhooks-route.ts'
import { Stakes } from '../../../components/network-tag.tsx'
import { withoutScheme } from '../../../components/webhook.tsx'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { announce } from '../../../ui/toast.tsx'
import { shortenReceiverUrl } from '../../../ui/format.ts'
import { Icon } from '../../../ui/icons.tsx'
import { Note, Row, Stack, type Tone, Tag, Text } from '../../../ui/layout.tsx'
import { Progress } from '../../../ui/loaded.tsx'
import { useKeptFocus } from '../../../ui/keyboard.ts'
import { EndpointDialog } from '../endpoint-dialog.tsx'
import {
  type Step,
  type StepState,
  canFinish,
  canResume,
  canRollBack,
  currentMove,
  finishMove,
  isOver,
  describeProgress,
  resumeMove,
  rollBackMove,
  stateOf,
  steps,
  stepLabels,
  takeMove,
  useMoves,
} from './moves.ts'

type From = Pick<Webhook, 'network' | 'id' | 'endpoint'>

export const openMove = (from: From) => openDialog('moveWebhook', from)

/** Moves a webhook to another endpoint, from any page. A move that was started continues when this is closed. */
export function MoveDialog({ input: from, onClose }: DialogProps<'moveWebhook'>) {
  const { data: networks } = useData('network.list')
  const network = networks?.networks.find(({ id }) => id === from.network)
  const moves = useMoves(from.network)
  const [moveId, setMoveId] = useState<number | null>(null)
  const move = moves.find(({ id }) => id === moveId) ?? currentMove(moves, from.id)
  // It stays in sight to its end, when it is no longer the webhook's current move.
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

function NewMove({
  from,
  network,
  onStarted,
  onClose,
}: {
  from: From
  network: Network
  onStarted: (moveId: number) => void
  onClose: () => void
}) {
  const { network: id, id: webhook, endpoint } = from
  const refuse = (to: string) => {
    if (to === '') return 'Enter the URL to move to.'
    return to === endpoint ? 'The webhook already delivers to this URL.' : null
  }

  const begin = async (to: string) => {
    const move = await request('move.start', { network: id, id: webhook, endpoint: to })
    takeMove(move)
    reload('move.list', { network: id })
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
      <Stakes network={network} />
      <Text as="p" size="s" tone="dim">
        A new webhook takes over every subscription. Until the old webhook is deleted, both deliver:
        for a while events arrive twice, and none is lost. The new webhook has its own token, which
        your backend needs. You can stop the move and roll it back until the old webhook is deleted.
      </Text>
    </EndpointDialog>
  )
}

/** The steps of a move, and its actions. */
function Steps({
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
    <Stack ref={area} tabIndex={-1} gap="l">
      <Stack as="ol" gap="none" line="box" aria-label="Steps of the move">
        {steps.map((step, index) => (
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
            Finish anyway…
          </Button>
        )}
        <Row last wrap>
          {!isOver(move) && !canResume(move) && (
            <Text size="s" tone="dim">
              The move continues when you close this window.
            </Text>
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
        <Text as="p" size="s" tone="dim">
          {counts ? asSentence(describeProgress(move)) : detail}
        </Text>
        {step === 'copy' && isCurrent && move.total !== null && (
          <Progress label="Accounts copied" done={move.copied} of={move.total} />
        )}
      </Stack>
    </Row>
  )
}

function asSentence(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`
}

/** A move in progress, at either of its webhooks. */
export function MoveBar({ move, of }: { move: WebhookMove; of: Webhook }) {
  const { from, to, problem } = move
  const what =
    from.id === of.id
      ? `This webhook is moving to ${shortenReceiverUrl(to.endpoint)}`
      : `This webhook is taking over from ${shortenReceiverUrl(from.endpoint)}`
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
