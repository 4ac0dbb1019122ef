import { shortcutsOf, useShortcuts } from '../../../ui/keyboard.ts'
import { IconButton } from '../../../ui/button.tsx'
import { ExportDialog, captureExports } from './export-dialog.tsx'
import { type OfferedSubject, openExport } from './export-dialog-state.ts'
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
  const open = () => openExport(offered())
  useShortcuts([key(['e'], 'Export…', open)])
  return (
    <>
      <IconButton icon="upload" label="Import…" onClick={openImport} />
      <captureExports.ExportButton onPress={open} />
      <ExportDialog />
      <ImportDialog onShow={onShow} />
    </>
  )
}
