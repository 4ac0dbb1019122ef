import type { ReactNode } from 'react'
import { Row, Stack, Text } from '../ui/layout.tsx'
import { awaitedHeading } from '../ui/keyboard.ts'
import { KeyValues } from '../ui/values.tsx'

/** The page of “Show cause” begins with one sentence and the action that helps; facts about the failure follow. */
export function Cause({
  sentence,
  isBad = true,
  level = 3,
  action,
  pairs,
  children,
}: {
  sentence: ReactNode
  isBad?: boolean
  /** The level of the heading. */
  level?: 2 | 3
  action?: ReactNode
  pairs: readonly (readonly [name: string, value: ReactNode])[]
  children?: ReactNode
}) {
  return (
    <Stack as="section" pad="l" line="below" aria-label="Cause">
      <Row align="start" gap="m">
        <Stack gap="none" grow>
          <Text
            as={`h${level}`}
            size="l"
            strong
            tone={isBad ? 'bad' : undefined}
            over="break"
            tabIndex={-1}
            ref={awaitedHeading}
          >
            {sentence}
          </Text>
        </Stack>
        <Row last>{action}</Row>
      </Row>
      <KeyValues pairs={pairs} />
      {children}
    </Stack>
  )
}
