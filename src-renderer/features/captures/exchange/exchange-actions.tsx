import { shortcutsOf, useShortcuts } from '../../../ui/keyboard.ts'
import { Button, IconButton } from '../../../ui/button.tsx'
import { Kbd } from '../../../ui/kbd.tsx'
import { ExportDialog } from './export-dialog.tsx'
import { type OfferedSubject, openExport } from './export-dialog-state.ts'
import { captureExports } from './exports.ts'
import { ImportDialog } from './import-dialog.tsx'
import { openImport } from './imports.ts'

const key = shortcutsOf('Inspector')

/** Buttons of the inspector's head, with their dialogs. @param onShow shows what was imported */
export function ExchangeActions({
  offered,
  onShow,
}: {
  /** Asked when the dialog opens: selection, open capture, query. */
  offered: () => readonly OfferedSubject[]
  onShow: () => void
}) {
  const running = captureExports.useRuns(
    ({ list }) => list.filter(({ state }) => state === 'running').length,
  )
  const open = () => openExport(offered())
  useShortcuts([key(['e'], 'Export…', open)])
  return (
    <>
      <IconButton icon="upload" label="Import…" onClick={openImport} />
      <Button icon="download" onClick={open}>
        {running === 0 ? 'Export' : running === 1 ? 'Exporting…' : `${running} exports…`}{' '}
        <Kbd>e</Kbd>
      </Button>
      <ExportDialog />
      <ImportDialog onShow={onShow} />
    </>
  )
}
