import { Row, Stack, Text } from '../../ui/layout.tsx'
import { CopyButton } from '../../ui/toast.tsx'
import styles from './frame.module.css'

const command = 'tondesk open'

export function SessionEnded() {
  return (
    <main className={styles['ended']}>
      <Stack gap="l" pad="xl">
        <h1>This tab’s session has ended</h1>
        <Text as="p" tone="dim">
          The link that opened this page works once, and only until Tondesk is restarted. All
          captures are stored. To get a new link, run this in a terminal on the same computer:
        </Text>
        <Row>
          <code className={styles['command']}>{command}</code>
          <CopyButton text={command} what="Command" />
        </Row>
      </Stack>
    </main>
  )
}
