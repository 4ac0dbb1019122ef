import { useRef, useState } from 'react'
import type { Label } from '../../../../src-preload/contract/label.ts'
import type { NetworkId } from '../../../../src-preload/contract/network.ts'
import { request, toAppError } from '../../../bridge.ts'
import { type FieldErrors, readFieldErrors } from '../../../form-values.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { announce } from '../../../ui/live-region.tsx'
import { TextArea, TextField } from '../../../ui/text-field.tsx'
import styles from './labels.module.css'

/** Writes a new label, or another name and note for an address. */
export function LabelDialog({
  network,
  edited,
  onClose,
}: {
  network: NetworkId
  edited: Label | 'new'
  onClose: () => void
}) {
  const known = edited === 'new' ? null : edited
  const first = useRef<HTMLInputElement>(null)
  const [address, setAddress] = useState(known?.address ?? '')
  const [name, setName] = useState(known?.name ?? '')
  const [note, setNote] = useState(known?.note ?? '')
  const [busy, setBusy] = useState(false)
  const [errors, setErrors] = useState<FieldErrors>({})

  const save = async () => {
    if (name.trim() === '') {
      setErrors({ name: 'Give it a name.' })
      return
    }
    setBusy(true)
    try {
      await request('label.set', { network, address, name, note })
      announce(`${name.trim()} saved`)
      onClose()
    } catch (error) {
      const known = toAppError(error)
      // Without fields it is the address: it could not be read as one.
      setErrors(readFieldErrors(known) ?? { address: known.message })
      setBusy(false)
    }
  }

  return (
    <Dialog
      open
      onClose={onClose}
      title={known === null ? 'Add a name' : `Change “${known.name}”`}
      initialFocus={first}
    >
      <form
        className={styles['form']}
        onSubmit={(event) => {
          event.preventDefault()
          if (!busy) void save()
        }}
      >
        <TextField
          label="Address"
          hint={known === null ? 'In any form.' : undefined}
          mono
          readOnly={known !== null}
          ref={known === null ? first : undefined}
          value={address}
          onChange={setAddress}
          error={errors['address']}
        />
        <TextField
          label="Name"
          maxLength={100}
          ref={known === null ? undefined : first}
          value={name}
          onChange={setName}
          error={errors['name']}
        />
        <TextArea
          label="Note"
          maxLength={1000}
          value={note}
          onChange={setNote}
          error={errors['note']}
        />
        <div className={styles['buttons']}>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="main" busy={busy}>
            {busy ? 'Saving…' : 'Save'}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
