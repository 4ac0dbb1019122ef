import { type RefObject, useEffect, useRef } from 'react'
import { create } from 'zustand'
import type { Network } from '../../../../src-preload/contract/network.ts'
import type { Webhook, WebhookMove } from '../../../../src-preload/contract/webhook.ts'
import { request } from '../../../app/bridge.ts'
import { shortenReceiverUrl } from '../../../ui/format.ts'
import { useResource, valueOf } from '../../../app/resource.ts'
import { Dialog } from '../../../ui/dialog.tsx'
import { announce } from '../../../ui/live-region.tsx'
import { Stakes } from '../../../components/network-confirm.tsx'
import { EndpointForm } from '../endpoint-form/endpoint-form.tsx'
import { withoutScheme } from '../webhook-words.ts'
import { MoveSteps } from './move-steps.tsx'
import { currentMove, movesOf, takeMove } from './moves.ts'
import form from '../endpoint-form/endpoint-form.module.css'

type From = Pick<Webhook, 'network' | 'id' | 'endpoint'>

/** `moveId`: the move that is shown, also once it is over. */
const useMoving = create<{ from: From | null; moveId: number | null }>(() => ({
  from: null,
  moveId: null,
}))

export const openMove = (from: From) => useMoving.setState({ from, moveId: null })
const close = () => useMoving.setState({ from: null, moveId: null })

/** Moves a webhook to another endpoint. What was begun goes on when this is closed. */
export function MoveDialog({ network }: { network: Network }) {
  const { from: asked, moveId } = useMoving()
  // Another network may have been chosen elsewhere meanwhile.
  const from = asked?.network === network.id ? asked : null
  const field = useRef<HTMLInputElement>(null)
  const moves = valueOf(useResource(movesOf(network.id))) ?? []
  const move =
    from === null ? null : (moves.find(({ id }) => id === moveId) ?? currentMove(moves, from.id))
  // Kept in sight to its end, when it is no longer the webhook's current one.
  useEffect(() => {
    if (move !== null) useMoving.setState({ moveId: move.id })
  }, [move])
  return (
    <Dialog
      open={from !== null}
      onClose={close}
      wide
      title={move === null ? 'Move to another endpoint' : titleOf(move)}
      detail={from === null ? '' : `Webhook ${from.id}, ${withoutScheme(from.endpoint)}`}
      initialFocus={move === null ? field : undefined}
    >
      {from !== null &&
        (move === null ? (
          <Form from={from} network={network} field={field} />
        ) : (
          <MoveSteps move={move} network={network} onClose={close} />
        ))}
    </Dialog>
  )
}

function titleOf({ state, to }: WebhookMove): string {
  const where = shortenReceiverUrl(to.endpoint)
  if (state === 'done') return `Moved to ${where}`
  return state === 'rolled-back' ? 'The move is rolled back' : `Moving to ${where}`
}

function Form({
  from: { network: id, id: webhook, endpoint },
  network,
  field,
}: {
  from: From
  network: Network
  field: RefObject<HTMLInputElement | null>
}) {
  const refuse = (to: string) => {
    if (to === '') return 'Give the URL to move to.'
    return to === endpoint ? 'It delivers there already.' : null
  }

  const begin = async (to: string) => {
    const move = await request('move.start', { network: id, id: webhook, endpoint: to })
    takeMove(move)
    useMoving.setState({ moveId: move.id })
    announce('The move has begun')
  }

  return (
    <EndpointForm
      name="Move to another endpoint"
      label="New endpoint"
      network={id}
      former={endpoint}
      why={
        <>
          <Stakes network={network} />
          <p className={form['why']}>
            A new webhook is created and takes over every subscription; until the old one is deleted
            both deliver, so events come twice for a while and none is lost. The new one has a token
            of its own, which your backend needs. It can be stopped and rolled back until the old
            one is deleted.
          </p>
        </>
      }
      field={field}
      action="Begin to move"
      busyAction="Beginning…"
      refuse={refuse}
      onCancel={close}
      onSubmit={begin}
    />
  )
}
