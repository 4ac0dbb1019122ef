import { Button } from '../../ui/button.tsx'
import { Kbd } from '../../ui/kbd.tsx'
import { Row } from '../../ui/layout.tsx'
import { type MenuItem, Menu } from '../../ui/menu.tsx'
import { Progress } from '../../ui/progress.tsx'
import { Text } from '../../ui/text.tsx'
import { cancelExport, useExport } from './save-export.ts'

/** What can be saved as a file; while a file is made and saved, its progress stands in its place. */
export function ExportMenu({ items }: { items: readonly MenuItem[] }) {
  const now = useExport((state) => state.now)
  if (now !== null) {
    return (
      <Row role="status">
        <Text size="s" tone="dim" over="nowrap">
          {now.of === null ? `Making the ${now.format} file…` : 'Saving'}
        </Text>
        {now.of !== null && <Progress label="Export" done={now.done} of={now.of} />}
        <Button onClick={cancelExport}>Cancel</Button>
      </Row>
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
