import { type ReactNode, useEffect } from 'react'
import type { Webhook } from '../../../../src-preload/contract/webhook.ts'
import { on } from '../../../app/bridge.ts'
import { useResource, valueOf } from '../../../app/resource.ts'
import { Button } from '../../../ui/button.tsx'
import { classes } from '../../../ui/classes.ts'
import { useAnswer } from '../../../app/use-answer.ts'
import { receiver } from '../../../app/receiver-state.ts'
import { MoveBar, openMove } from '../move/move-dialog.tsx'
import { currentMove, useMoves } from '../move/moves.ts'
import { bringBackOnline } from './webhook-commands.tsx'
import { isFormerlyHere } from './formerly-here.ts'
import styles from './detail.module.css'

/** What about a webhook needs the person: it is not delivered to, it moves, it should. */
export function Bars({ webhook }: { webhook: Webhook }) {
  const move = currentMove(useMoves(webhook.network), webhook.id)
  return (
    <>
      <StandBar webhook={webhook} />
      {move === null ? (
        <FormerAddressBar webhook={webhook} />
      ) : (
        <MoveBar move={move} of={webhook} />
      )}
    </>
  )
}

function Bar({
  tone,
  button,
  children,
}: {
  tone: 'warn' | 'bad'
  button: ReactNode
  children: ReactNode
}) {
  return (
    <div className={classes(styles['bar'], styles[tone])} role="status">
      <p>{children}</p>
      {button}
    </div>
  )
}

function StandBar({ webhook }: { webhook: Webhook }) {
  const button = <Button onClick={() => void bringBackOnline(webhook)}>Back online</Button>
  if (webhook.status === 'offline') {
    return (
      <Bar tone="bad" button={button}>
        The gateway has taken it offline, for too many deliveries failed: nothing is delivered.
        Bring it back once the endpoint answers 200 again.
      </Bar>
    )
  }
  if (webhook.status === 'suspended') {
    return (
      <Bar tone="warn" button={button}>
        The gateway has suspended it, for the balance of the project is used up: nothing is
        delivered. Top up the balance in the gateway’s console first.
      </Bar>
    )
  }
  return null
}

/** It delivers to where this receiver was: another public URL, or a token since replaced. */
function FormerAddressBar({ webhook }: { webhook: Webhook }) {
  const { network, endpoint, isHere } = webhook
  const here = valueOf(useResource(receiver))?.url ?? null
  const { state, resource } = useAnswer('webhook.checkEndpoint', { network, endpoint })
  useEffect(() => {
    const stops = [
      on('receiver.changed', () => void resource.reload()),
      on('settings.changed', () => void resource.reload()),
    ]
    return () => {
      for (const stop of stops) stop()
    }
  }, [resource])
  if (isHere) return null
  const said = valueOf(state)?.find(({ kind }) => kind === 'wrong-path')?.message
  const words =
    said ??
    (isFormerlyHere(endpoint, here)
      ? 'Its path is this receiver’s, but the receiver is not known by its host: neither this computer’s address nor the public URL of the settings.'
      : null)
  if (words === null) return null
  return (
    <Bar tone="warn" button={<Button onClick={() => openMove(webhook)}>Move it…</Button>}>
      {words}
    </Bar>
  )
}
