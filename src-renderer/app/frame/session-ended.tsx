import { Row, Stack, Text } from '../../ui/layout.tsx'
import { CopyButton } from '../../ui/toast.tsx'
import styles from './frame.module.css'

const command = 'tondesk open'

export function SessionEnded() {
  return (
    <main className={styles['ended']}>
      <Stack gap="l" pad="xl">
        <h1>The session of this tab has ended</h1>
        <Text as="p" tone="dim">
          Tondesk was started again, or the link that opened this page had been used before: each
          link works once. All captures are stored. For a new link, run this in a terminal on the
          same computer:
        </Text>
        <Row>
          <code className={styles['command']}>{command}</code>
          <CopyButton text={command} what="Command" />
        </Row>
      </Stack>
    </main>
  )
}
