import { useState } from 'react'
import { request, toAppError } from '../../bridge.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { showToast } from '../../ui/toast.tsx'
import { webhookTokens } from '../secrets.ts'
import type { FieldErrors } from '../../form-values.ts'
import { readFieldErrors } from '../../form-values.ts'
import styles from './section.module.css'

export function AddToken({ onDone }: { onDone: () => void }) {
  const [label, setLabel] = useState('')
  const [token, setToken] = useState('')
  const [errors, setErrors] = useState<FieldErrors>({})
  const [problem, setProblem] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)

  const submit = async () => {
    setBusy(true)
    setErrors({})
    setProblem(null)
    try {
      const added = await request('webhookToken.add', { label, token })
      await webhookTokens.reload()
      showToast({ title: `Token “${added.label}” added` })
      onDone()
    } catch (error) {
      const known = toAppError(error)
      const fields = readFieldErrors(known)
      if (fields === null) setProblem(known.message)
      else setErrors(fields)
    } finally {
      setBusy(false)
    }
  }

  return (
    <form
      className={styles['form']}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (!busy) void submit()
      }}
    >
      <TextField
        label="Name"
        placeholder="Shop webhook"
        value={label}
        error={errors['label']}
        onChange={setLabel}
        autoFocus
      />
      <TextField
        label="Token"
        type="password"
        autoComplete="new-password"
        mono
        value={token}
        error={errors['token']}
        onChange={setToken}
      />
      {problem !== null && (
        <p className={styles['error']} role="alert">
          {problem}
        </p>
      )}
      <div className={styles['line']}>
        <Button type="submit" kind="main" busy={busy}>
          Add
        </Button>
        <Button onClick={onDone}>Cancel</Button>
      </div>
    </form>
  )
}
