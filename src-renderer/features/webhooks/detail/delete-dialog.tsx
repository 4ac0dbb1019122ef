import { useRef, useState } from 'react'
import { create } from 'zustand'
import type { Network } from '../../../../src-preload/contract/network.ts'
import type { Webhook } from '../../../../src-preload/contract/webhook.ts'
import { request, toAppError } from '../../../app/bridge.ts'
import { formatCount } from '../../../ui/format.ts'
import { Button } from '../../../ui/button.tsx'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import text from '../../../ui/text.module.css'
import { showToast } from '../../../ui/toast.tsx'
import { Stakes } from '../../../components/network-confirm.tsx'
import { webhooksOf } from '../webhooks.ts'
import { withoutScheme } from '../webhook-words.ts'
import { closeWebhook } from './webhook-commands.tsx'
import styles from './detail.module.css'

const useDeleting = create<{ webhook: Webhook | null }>(() => ({ webhook: null }))

export const openDelete = (webhook: Webhook) => useDeleting.setState({ webhook })
const close = () => useDeleting.setState({ webhook: null })

/** Deletes a webhook once its endpoint was typed again. */
export function DeleteDialog({ network }: { network: Network }) {
  const asked = useDeleting((state) => state.webhook)
  // Another network may have been chosen elsewhere meanwhile.
  const webhook = asked?.network === network.id ? asked : null
  const field = useRef<HTMLInputElement>(null)
  return (
    <Dialog
      open={webhook !== null}
      onClose={close}
      wide
      title="Delete this webhook?"
      detail={webhook === null ? '' : lost(webhook)}
      initialFocus={field}
    >
      {webhook !== null && <Form webhook={webhook} network={network} field={field} />}
    </Dialog>
  )
}

function lost({ accounts, opcodes }: Webhook): string {
  const parts = [
    accounts !== null && accounts > 0 && formatCount(accounts, 'account subscription'),
    opcodes !== null && opcodes > 0 && formatCount(opcodes, 'opcode'),
  ].filter((part) => part !== false)
  return `It is deleted at the gateway with ${parts.length === 0 ? 'all it is subscribed to' : `its ${parts.join(' and ')}`}. Nothing is delivered to it any more, and what was not delivered yet never will be. This cannot be undone; save its subscriptions as a file first if you may need them.`
}

function Form({
  webhook: { network: id, id: webhook, endpoint },
  network,
  field,
}: {
  webhook: Webhook
  network: Network
  field: { current: HTMLInputElement | null }
}) {
  const [typed, setTyped] = useState('')
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<string | undefined>()
  const isSame = typed.trim() === endpoint

  const submit = async () => {
    if (!isSame) {
      setError('This is not the endpoint of the webhook.')
      return
    }
    setBusy(true)
    try {
      await request('webhook.delete', { network: id, id: webhook, endpoint: typed.trim() })
      await webhooksOf(id).reload()
      showToast({ title: 'Webhook deleted', detail: withoutScheme(endpoint) })
      close()
      closeWebhook()
    } catch (caught) {
      setError(toAppError(caught).message)
      setBusy(false)
    }
  }

  return (
    <form
      className={styles['form']}
      aria-label="Delete this webhook"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (!busy) void submit()
      }}
    >
      <Stakes network={network} />
      <p className={styles['line']}>
        <span className={text['mono']}>{endpoint}</span>
        <CopyButton text={endpoint} what="Endpoint" iconOnly kind="quiet" />
      </p>
      <TextField
        label="Type the endpoint again"
        mono
        ref={field}
        value={typed}
        onChange={(next) => {
          setTyped(next)
          setError(undefined)
        }}
        error={error}
      />
      <div className={styles['buttons']}>
        <Button onClick={close}>Cancel</Button>
        <Button type="submit" kind="dangerMain" busy={busy} disabled={!isSame}>
          {busy ? 'Deleting…' : 'Delete the webhook'}
        </Button>
      </div>
    </form>
  )
}
