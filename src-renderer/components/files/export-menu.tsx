import { Button } from '../../ui/button.tsx'
import { Kbd } from '../../ui/kbd.tsx'
import { type MenuItem, Menu } from '../../ui/menu.tsx'
import { Progress } from '../../ui/progress.tsx'
import { cancelExport, useExport } from './save-export.ts'
import styles from './export-menu.module.css'

/** What can be saved as a file; in its place, how far that has come. */
export function ExportMenu({ items }: { items: readonly MenuItem[] }) {
  const now = useExport((state) => state.now)
  if (now !== null) {
    return (
      <span className={styles['exporting']} role="status">
        {now.of === null ? `Making the ${now.format} file…` : 'Saving'}
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
      items={items}
    />
  )
}
