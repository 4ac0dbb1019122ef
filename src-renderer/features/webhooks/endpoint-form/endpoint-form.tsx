import { type ReactNode, type RefObject, useState } from 'react'
import type { NetworkId } from '../../../../src-preload/contract/network.ts'
import { toAppError } from '../../../app/bridge.ts'
import { readFieldErrors } from '../../../app/form-values.ts'
import { Button } from '../../../ui/button.tsx'
import { EndpointField } from './endpoint-field.tsx'
import { useEndpoint } from './use-endpoint.ts'
import styles from './endpoint-form.module.css'

/** Asks for the endpoint of a webhook and does something with it; what is refused is said at the field. */
export function EndpointForm({
  name,
  label,
  network,
  former,
  why,
  field,
  action,
  busyAction,
  refuse,
  onCancel,
  onSubmit,
}: {
  name: string
  label: string
  network: NetworkId
  /** Where it delivers now: no suggestion. */
  former?: string
  /** Above the field. */
  why?: ReactNode
  field: RefObject<HTMLInputElement | null>
  action: string
  busyAction: string
  /** What is wrong before anybody is asked, as a sentence; null when nothing is. */
  refuse: (endpoint: string) => string | null
  onCancel: () => void
  /** The form is expected to go once it resolves. @throws AppError */
  onSubmit: (endpoint: string) => Promise<void>
}) {
  const entry = useEndpoint(network, former)
  const [busy, setBusy] = useState(false)
  /** Said of one endpoint: another that stands there now has not been tried. */
  const [refused, setRefused] = useState<{ endpoint: string; why: string } | null>(null)
  const endpoint = entry.typed.trim()
  const error = refused?.endpoint === endpoint ? refused.why : undefined

  const fail = (why: string) => {
    setRefused({ endpoint, why })
    field.current?.focus()
  }

  const submit = async () => {
    const refusal = refuse(endpoint)
    if (refusal !== null) {
      fail(refusal)
      return
    }
    setBusy(true)
    setRefused(null)
    try {
      await onSubmit(endpoint)
    } catch (caught) {
      const known = toAppError(caught)
      setBusy(false)
      fail(readFieldErrors(known)?.['endpoint'] ?? known.message)
    }
  }

  return (
    <form
      className={styles['form']}
      aria-label={name}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (!busy) void submit()
      }}
    >
      {why}
      <EndpointField label={label} entry={entry} error={error} field={field} />
      <div className={styles['buttons']}>
        <Button onClick={onCancel}>Cancel</Button>
        <Button type="submit" kind="main" busy={busy}>
          {busy ? busyAction : action}
        </Button>
      </div>
    </form>
  )
}
