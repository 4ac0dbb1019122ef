import type { ExportFormat, LookupJob } from '../../../../src-preload/contract/lookup.ts'
import { request } from '../../../bridge.ts'
import { useShortcuts } from '../../../keyboard.ts'
import { ExportMenu } from '../../files/export-menu.tsx'
import { saveExport } from '../../files/save-export.ts'
import { useRows } from './rows.ts'

const formats = [
  { format: 'csv', label: 'CSV', hint: 'e' },
  { format: 'json', label: 'JSON', hint: undefined },
  { format: 'xlsx', label: 'Excel (XLSX)', hint: undefined },
] as const

/** What is shown, with its filter and in its order, as a file. */
export function ExportRows({ job: { id } }: { job: LookupJob }) {
  const save = (format: ExportFormat) => {
    const { filter, sort } = useRows.getState()
    const make = () => request('lookup.export', { id, format, filter, sort })
    void saveExport(format.toUpperCase(), make)
  }
  useShortcuts([{ keys: ['e'], label: 'Export as CSV', group: 'Lookup', run: () => save('csv') }])
  return (
    <ExportMenu
      items={formats.map(({ format, label, hint }) => ({
        label,
        hint,
        onSelect: () => save(format),
      }))}
    />
  )
}
