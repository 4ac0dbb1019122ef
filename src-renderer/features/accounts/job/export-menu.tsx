import type { LookupJob } from '../../../../src-preload/contract/index.ts'
import { useShortcuts } from '../../../keyboard.ts'
import { Button } from '../../../ui/button.tsx'
import { Kbd } from '../../../ui/kbd.tsx'
import { Menu } from '../../../ui/menu.tsx'
import { Progress } from '../../progress.tsx'
import { cancelExport, exportRows, useExport } from './export-rows.ts'
import styles from './job.module.css'

const formats = [
  { format: 'csv', label: 'CSV', hint: 'e' },
  { format: 'json', label: 'JSON', hint: undefined },
  { format: 'xlsx', label: 'Excel (XLSX)', hint: undefined },
] as const

/** What is shown, with its filter and in its order, as a file. */
export function ExportMenu({ job }: { job: LookupJob }) {
  const now = useExport((state) => state.now)
  useShortcuts([
    {
      keys: ['e'],
      label: 'Export as CSV',
      group: 'Lookup',
      run: () => void exportRows(job, 'csv'),
    },
  ])
  if (now !== null) {
    return (
      <span className={styles['exporting']} role="status">
        {now.of === null ? `Making the ${now.format.toUpperCase()} file…` : 'Saving'}
        {now.of !== null && <Progress label="Export" done={now.done} of={now.of} />}
        <Button onClick={cancelExport}>Cancel</Button>
      </span>
    )
  }
  return (
    <Menu
      trigger={
        <Button icon="download">
          Export <Kbd>e</Kbd>
        </Button>
      }
      items={formats.map(({ format, label, hint }) => ({
        label,
        hint,
        onSelect: () => void exportRows(job, format),
      }))}
    />
  )
}
