import type { CSSProperties, ReactNode } from 'react'
import { classes } from './classes.ts'
import styles from './code-block.module.css'
import { textClasses } from './layout.tsx'

/** Text as it stands in a file or a terminal. It scrolls, and can be reached by keyboard. */
export function CodeBlock({
  label,
  rows = 12,
  wrap = false,
  dim = false,
  children,
}: {
  label: string
  /** At most this high, in lines. */
  rows?: number
  /** Lines that are too long are broken, for text that has none. */
  wrap?: boolean
  /** The shown code is out of date while the next code is loaded. */
  dim?: boolean
  children: ReactNode
}) {
  return (
    <pre
      className={classes(
        styles['code'],
        textClasses({ tone: dim ? 'faint' : undefined, ...(wrap && { over: 'lines' }) }),
      )}
      style={{ '--rows': rows } as CSSProperties}
      tabIndex={0}
      role="group"
      aria-label={label}
    >
      {children}
    </pre>
  )
}
