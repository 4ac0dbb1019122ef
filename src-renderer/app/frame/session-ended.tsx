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
          A link to Tondesk works once, and only until Tondesk restarts. Your captures are safe. To
          get a new link, run this command on the computer that runs Tondesk:
        </Text>
        <Row>
          <code className={styles['command']}>{command}</code>
          <CopyButton text={command} what="Command" />
        </Row>
      </Stack>
    </main>
  )
}
