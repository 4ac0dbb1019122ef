import type { ReactNode } from 'react'
import type { Notice } from '../../../src-preload/contract/app.ts'
import { classes } from '../../ui/classes.ts'
import { Icon } from '../../ui/icons.tsx'
import styles from './banners.module.css'

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
  return (
    <div
      className={classes(styles['banner'], styles[level])}
      role={level === 'alarm' ? 'alert' : 'status'}
    >
      <Icon name="warning" />
      <p
        className={classes(styles['words'], isShort && styles['short'])}
        title={isShort ? detail : undefined}
      >
        <span className={styles['title']}>{endSentence(title)}</span>{' '}
        <span className={styles['detail']}>{detail}</span>
      </p>
      <div className={styles['end']}>{end}</div>
    </div>
  )
}

function endSentence(text: string): string {
  return /[.!?:]$/.test(text) ? text : `${text}.`
}
