import type { CSSProperties, ReactNode } from 'react'
import { classes } from './classes.ts'
import styles from './code-block.module.css'
import { textClasses } from './layout.tsx'

/** Shows text of a file or a terminal. The block scrolls and can be reached by keyboard. */
export function CodeBlock({
  label,
  rows = 12,
  wrap = false,
  dim = false,
  children,
}: {
  label: string
  /** Maximum height in lines. */
  rows?: number
  /** True to break long lines, for text without line breaks. */
  wrap?: boolean
  /** True if the displayed code is outdated while the next code is loading. */
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
