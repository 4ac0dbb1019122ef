import { useRef } from 'react'
import { Dialog } from '../../ui/dialog.tsx'
import { saySubject } from './replay-draft.ts'
import { closeReplay, useReplayDialog } from './replay-dialog-state.ts'
import { ReplayForm } from './replay-form.tsx'

/** Mounted once, in the frame: something can be sent again from any page. */
export function ReplayDialog() {
  const asked = useReplayDialog((state) => state.asked)
  const first = useRef<HTMLInputElement>(null)
  return (
    <Dialog
      open={asked !== null}
      onClose={closeReplay}
      wide={asked?.edited === true ? 'widest' : true}
      title={asked === null ? 'Replay' : `Replay ${saySubject(asked.subject)}`}
      detail="Each request carries X-Tondesk-Replay, so that your server can tell it from a delivery, and is remembered with its answer."
      initialFocus={first}
    >
      {asked !== null && <ReplayForm asked={asked} first={first} />}
    </Dialog>
  )
}
