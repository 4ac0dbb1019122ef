import { useState } from 'react'
import type { AccountRef } from '../../../src-preload/contract/chain.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import { request, toAppError } from '../../app/bridge.ts'
import { Button } from '../../ui/button.tsx'
import { TextArea, TextField } from '../../ui/text-field.tsx'
import { showToast } from '../../ui/toast.tsx'
import styles from './label-editor.module.css'

/** The person's own name for an account, with a note. An empty name removes it. */
export function LabelEditor({
  network,
  account,
  note: known,
  onDone,
}: {
  network: NetworkId
  account: Pick<AccountRef, 'address' | 'label' | 'name'>
  note: string
  onDone: () => void
}) {
  const [name, setName] = useState(account.label ?? '')
  const [note, setNote] = useState(known)
  const [problem, setProblem] = useState<string | undefined>(undefined)
  const [busy, setBusy] = useState(false)

  const save = async () => {
    if (name.trim() === '' && note.trim() !== '') {
      setProblem('Give it a name: the note belongs to one.')
      return
    }
    setBusy(true)
    try {
      await request('label.set', { network, address: account.address, name, note })
      showToast({ title: name.trim() === '' ? 'Label removed' : 'Label saved' })
      onDone()
    } catch (error) {
      setProblem(toAppError(error).message)
      setBusy(false)
    }
  }

  return (
    <form
      aria-label="Label"
      className={styles['editor']}
      onSubmit={(event) => {
        event.preventDefault()
        void save()
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return
        event.stopPropagation()
        onDone()
      }}
    >
      <TextField
        label="Label"
        placeholder={account.name ?? 'a name of your own'}
        autoFocus
        maxLength={100}
        value={name}
        onChange={setName}
        error={problem}
      />
      <TextArea label="Note" rows={2} maxLength={1000} value={note} onChange={setNote} />
      <div className={styles['buttons']}>
        <Button kind="main" type="submit" busy={busy}>
          Save
        </Button>
        <Button onClick={onDone}>Cancel</Button>
      </div>
    </form>
  )
}
