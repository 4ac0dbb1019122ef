import { useRef, useState } from 'react'
import { FormDialog } from '../../../ui/form-dialog.tsx'
import { saySubject } from './replay-draft.ts'
import { type Asked, closeReplay, useReplayDialog } from './replay-dialog-state.ts'
import { ReplayForm } from './replay-form.tsx'

/** Mounted once, in the frame: something can be sent again from any page. */
export function ReplayDialog() {
  const asked = useReplayDialog((state) => state.asked)
  // While it fades away it stays what it was.
  const [shown, setShown] = useState<Asked | null>(null)
  if (asked !== null && asked !== shown) setShown(asked)
  const first = useRef<HTMLInputElement>(null)
  return (
    <FormDialog
      open={asked !== null}
      onClose={closeReplay}
      wide={shown?.edited === true ? 'widest' : true}
      title={shown === null ? 'Replay' : `Replay ${saySubject(shown.subject)}`}
      detail="Each request carries X-Tondesk-Replay, so that your server can tell it from a delivery, and is remembered with its answer."
      initialFocus={first}
    >
      {shown !== null && <ReplayForm asked={shown} first={first} />}
    </FormDialog>
  )
}
