import { useRef, useState } from 'react'
import { create } from 'zustand'
import type { Network } from '../../../../src-preload/contract/index.ts'
import { request, toAppError } from '../../../bridge.ts'
import { readFieldErrors } from '../../../form-values.ts'
import { navigate } from '../../../route.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { announce } from '../../../ui/live-region.tsx'
import { webhookRoute } from '../../../webhooks-route.ts'
import { NetworkTag } from '../../network-tag.tsx'
import { takeWebhook } from '../webhooks.ts'
import { EndpointField } from './endpoint-field.tsx'
import { useEndpoint } from './use-endpoint.ts'
import styles from './create.module.css'

const useCreating = create<{ isOpen: boolean }>(() => ({ isOpen: false }))

export const openCreate = () => useCreating.setState({ isOpen: true })
const close = () => useCreating.setState({ isOpen: false })

export function CreateDialog({ network }: { network: Network }) {
  const isOpen = useCreating((state) => state.isOpen)
  const field = useRef<HTMLInputElement>(null)
  return (
    <Dialog
      open={isOpen}
      onClose={close}
      wide
      title="New webhook"
      detail={
        <>
          On <NetworkTag id={network.id} />. The gateway posts to this URL whatever the webhook is
          subscribed to. Its endpoint cannot be changed later, but it can be moved.
        </>
      }
      initialFocus={field}
    >
      <Form network={network} field={field} />
    </Dialog>
  )
}

function Form({
  network,
  field,
}: {
  network: Network
  field: { current: HTMLInputElement | null }
}) {
  const entry = useEndpoint(network.id)
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<string | undefined>()

  const submit = async () => {
    if (entry.typed.trim() === '') {
      setError('Give the URL that the gateway is to post to.')
      field.current?.focus()
      return
    }
    setBusy(true)
    setError(undefined)
    try {
      const made = await request('webhook.create', {
        network: network.id,
        endpoint: entry.typed,
      })
      takeWebhook(made)
      announce('The webhook is created')
      close()
      navigate({ ...webhookRoute(made.id), network: made.network })
    } catch (caught) {
      const known = toAppError(caught)
      setError(readFieldErrors(known)?.['endpoint'] ?? known.message)
      setBusy(false)
      field.current?.focus()
    }
  }

  return (
    <form
      className={styles['form']}
      aria-label="New webhook"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (!busy) void submit()
      }}
    >
      <EndpointField label="Endpoint" entry={entry} error={error} field={field} />
      <div className={styles['buttons']}>
        <Button onClick={close}>Cancel</Button>
        <Button type="submit" kind="main" busy={busy}>
          {busy ? 'Creating…' : 'Create the webhook'}
        </Button>
      </div>
    </form>
  )
}
