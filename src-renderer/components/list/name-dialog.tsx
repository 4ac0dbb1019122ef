import { useId, useRef, useState } from 'react'
import { toAppError } from '../../app/bridge.ts'
import { readFieldErrors } from '../../app/use-form.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/form.tsx'

/** Asks for the name of a saved view. What is refused is told at the field. */
export function NameDialog({
  title,
  detail,
  name,
  onClose,
  onSave,
}: {
  title: string
  detail: string
  name: string
  onClose: () => void
  onSave: (name: string) => Promise<void>
}) {
  const [typed, setTyped] = useState(name)
  const [problem, setProblem] = useState<string | undefined>(undefined)
  const [isBusy, setIsBusy] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  const form = useId()
  const save = async () => {
    if (typed.trim() === '') {
      setProblem('Enter a name.')
      return
    }
    setIsBusy(true)
    try {
      await onSave(typed.trim())
      onClose()
    } catch (error) {
      const known = toAppError(error)
      setProblem(readFieldErrors(known)?.['name'] ?? known.message)
      setIsBusy(false)
    }
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title={title}
      detail={detail}
      initialFocus={field}
      buttons={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="main" type="submit" form={form} busy={isBusy}>
            Save
          </Button>
        </>
      }
    >
      <form
        id={form}
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          if (!isBusy) void save()
        }}
      >
        <TextField
          ref={field}
          label="Name"
          maxLength={60}
          value={typed}
          error={problem}
          onChange={(next) => {
            setTyped(next)
            setProblem(undefined)
          }}
        />
      </form>
    </Dialog>
  )
}
