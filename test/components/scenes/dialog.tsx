/** A dialog with a confirmation above it, and a confirmation that opens from the page. */
import { useState } from 'react'
import { Button } from '../../../src-renderer/ui/button.tsx'
import { confirm, Dialog } from '../../../src-renderer/ui/dialog.tsx'
import { TextField } from '../../../src-renderer/ui/form.tsx'
import { Controls, report } from './parts.tsx'

export function DialogScene() {
  const [isOpen, setOpen] = useState(false)
  const [note, setNote] = useState('')
  const ask = async (title: string) => {
    const isConfirmed = await confirm({
      title,
      detail: 'It cannot be restored.',
      action: 'Delete',
      destructive: true,
    })
    report(isConfirmed ? 'deleted' : 'kept')
  }
  return (
    <>
      <Button onClick={() => setOpen(true)}>Open the label</Button>
      <Button onClick={() => void ask('Delete all labels?')}>Delete all labels</Button>
      <Dialog
        open={isOpen}
        onClose={() => setOpen(false)}
        title="Label"
        buttons={<Button onClick={() => setOpen(false)}>Done</Button>}
      >
        <TextField label="Note" value={note} onChange={setNote} />
        <Button onClick={() => void ask('Delete this label?')}>Delete label</Button>
      </Dialog>
      <Controls />
    </>
  )
}
