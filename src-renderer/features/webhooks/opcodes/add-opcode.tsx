import { useId, useRef, useState } from 'react'
import type { NetworkId } from '../../../../src-preload/contract/network.ts'
import type { OpcodeSubscription } from '../../../../src-preload/contract/webhook.ts'
import { request, toAppError } from '../../../app/bridge.ts'
import { readFieldErrors } from '../../../app/form-values.ts'
import { type Resource, createResource, useResource, valueOf } from '../../../app/resource.ts'
import { Button } from '../../../ui/button.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { addOpcode } from './opcode-commands.ts'
import styles from './opcodes.module.css'

/** Those with a name are the same everywhere. */
const known = createResource(() => request('webhook.knownOpcodes'))

export function AddOpcode({
  network,
  webhook,
  opcodes,
}: {
  network: NetworkId
  webhook: string
  opcodes: Resource<OpcodeSubscription[]>
}) {
  const offered = valueOf(useResource(known)) ?? []
  const [typed, setTyped] = useState('')
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<string | undefined>()
  const field = useRef<HTMLInputElement>(null)
  const list = useId()

  const submit = async () => {
    const text = typed.trim()
    if (text === '') {
      setError('Give an opcode, such as 0x0f8a7ea5, or choose one by its name.')
      return
    }
    const named = offered.find(({ name }) => name === text.toLowerCase())
    setBusy(true)
    setError(undefined)
    try {
      await addOpcode({ network, id: webhook }, named?.opcode ?? text, opcodes)
      setTyped('')
    } catch (caught) {
      const problem = toAppError(caught)
      setError(readFieldErrors(problem)?.['opcode'] ?? problem.message)
    } finally {
      setBusy(false)
      field.current?.focus()
    }
  }

  return (
    <form
      className={styles['add']}
      aria-label="Subscribe an opcode"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (!busy) void submit()
      }}
    >
      <div className={styles['fields']}>
        <TextField
          label="Opcode"
          mono
          list={list}
          ref={field}
          placeholder="0x0f8a7ea5, 260734629 or jetton transfer"
          value={typed}
          onChange={setTyped}
          error={error}
        />
        <datalist id={list}>
          {offered.map(({ opcode, name }) => (
            <option key={opcode} value={opcode}>
              {name}
            </option>
          ))}
        </datalist>
        <Button type="submit" icon="plus" busy={busy}>
          Subscribe
        </Button>
      </div>
      <p className={styles['note']}>
        An opcode matches every message on the chain, not only those of the accounts subscribed: a
        common one makes a great many deliveries.
      </p>
    </form>
  )
}
