import type { ReactNode } from 'react'
import type { Notice } from '../../../src-preload/contract/app.ts'
import { classes } from '../../ui/classes.ts'
import { Icon } from '../../ui/icons.tsx'
import { Row, Text } from '../../ui/layout.tsx'
import grounds from '../../ui/layout.module.css'
import styles from './frame.module.css'

export const noticeTones = { alarm: 'bad', warning: 'warn', info: undefined } as const

/** Across the whole window, as long as the matter lasts. */
export function Banner({
  level,
  title,
  detail,
  isShort = false,
  end,
}: {
  level: Notice['level']
  title: string
  detail: string
  /** In one line: where its link leads to, and in the tray, all of it is told. */
  isShort?: boolean
  end: ReactNode
}) {
  const tone = noticeTones[level]
  return (
    <div
      className={classes(styles['banner'], tone !== undefined && grounds[tone])}
      role={level === 'alarm' ? 'alert' : 'status'}
    >
      <Row>
        <Text tone={tone}>
          <Icon name="warning" />
        </Text>
        <Text as="p" size="s" over={isShort ? 'cut' : 'break'} title={isShort ? detail : undefined}>
          <Text tone={tone} strong>
            {endSentence(title)}
          </Text>{' '}
          {detail}
        </Text>
        <Row gap="xs" last>
          {end}
        </Row>
      </Row>
    </div>
  )
}

function endSentence(text: string): string {
  return /[.!?:]$/.test(text) ? text : `${text}.`
}
