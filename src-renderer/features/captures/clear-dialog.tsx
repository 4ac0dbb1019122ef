import { useRef, useState } from 'react'
import type { CaptureCounts } from '../../../src-preload/contract/capture.ts'
import { formatCount } from '../../ui/format.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Switch } from '../../ui/switch.tsx'
import { clearCaptures } from './inspector-commands.ts'

/** Deletes all captures after naming how many; rests on Cancel. */
export function ClearDialog({
  counts,
  open,
  onClose,
}: {
  counts: CaptureCounts
  open: boolean
  onClose: () => void
}) {
  const [keepPinned, setKeepPinned] = useState(true)
  const cancel = useRef<HTMLButtonElement>(null)
  const goes = counts.total + counts.others - (keepPinned ? counts.pinned : 0)
  return (
    <Dialog
      open={open}
      onClose={onClose}
      initialFocus={cancel}
      title={`Delete ${formatCount(goes, 'capture')}?`}
      detail="What was received, and what was put here, is removed from this computer. This cannot be undone."
      buttons={
        <>
          <Button ref={cancel} onClick={onClose}>
            Cancel
          </Button>
          <Button
            kind="dangerMain"
            disabled={goes === 0}
            onClick={() => {
              onClose()
              void clearCaptures(keepPinned)
            }}
          >
            Delete {formatCount(goes, 'capture')}
          </Button>
        </>
      }
    >
      <Switch
        label="Keep pinned captures"
        hint={`${formatCount(counts.pinned, 'capture')} pinned`}
        checked={keepPinned}
        onChange={setKeepPinned}
      />
    </Dialog>
  )
}
