import { useState } from 'react'
import { request } from '../../app/bridge.ts'
import { TextField } from '../../ui/text-field.tsx'
import { showToast } from '../../ui/toast.tsx'
import { webhookTokens } from '../../app/secrets.ts'
import { EntryForm } from './entry-form.tsx'
import { useEntry } from './use-entry.ts'

export function AddToken({ onDone }: { onDone: () => void }) {
  const [label, setLabel] = useState('')
  const [token, setToken] = useState('')
  const entry = useEntry(['label', 'token'], async () => {
    const added = await request('webhookToken.add', { label, token })
    await webhookTokens.reload()
    showToast({ title: `Token “${added.label}” added` })
    onDone()
  })

  return (
    <EntryForm action="Add" entry={entry} onCancel={onDone}>
      <TextField
        label="Name"
        placeholder="Shop webhook"
        value={label}
        error={entry.errors['label']}
        onChange={setLabel}
        autoFocus
      />
      <TextField
        label="Token"
        type="password"
        autoComplete="new-password"
        mono
        value={token}
        error={entry.errors['token']}
        onChange={setToken}
      />
    </EntryForm>
  )
}
