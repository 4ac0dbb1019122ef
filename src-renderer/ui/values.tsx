import { type CSSProperties, type ReactNode, Fragment } from 'react'
import { classes } from './classes.ts'
import { Digits } from './layout.tsx'
import looks from './text.module.css'
import styles from './values.module.css'

/** Names and values, two columns. A pair whose value is null or false is left out. */
export function KeyValues({
  label,
  pairs,
  wide = false,
  mono = false,
}: {
  label?: string
  pairs: readonly (readonly [name: ReactNode, value: ReactNode])[]
  /** The names take the width they need. */
  wide?: boolean
  /** Text of a program: headers, parameters. The names are shown whole. */
  mono?: boolean
}) {
  return (
    <dl
      className={classes(
        styles['keyValues'],
        wide && styles['wideNames'],
        mono && styles['program'],
      )}
      aria-label={label}
    >
      {pairs.map(
        ([name, value], index) =>
          value !== null &&
          value !== false && (
            // Pairs never change places, and a name may occur twice.
            <Fragment key={index}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </Fragment>
          ),
      )}
    </dl>
  )
}

/** A row of figures at the head of a page. */
export function Stats({
  label,
  values,
  least,
  children,
}: {
  label?: string
  /** The least width of one, in pixels; 180 by default. */
  least?: number
  /** Values with their units, where all figures are to be set in one size: that of the longest. */
  values?: readonly string[]
  children: ReactNode
}) {
  const style = {
    ...(least !== undefined && { '--least': `${least}px` }),
    ...(values !== undefined && {
      '--chars': Math.max(...values.map((value) => value.length), leastChars),
    }),
  } as CSSProperties
  return (
    <div
      className={styles['figures']}
      role={label === undefined ? undefined : 'group'}
      aria-label={label}
      style={style}
    >
      {children}
    </div>
  )
}

/** A shorter value is not set larger. */
const leastChars = 11

/** One number, what it is and what is behind it: with `href`, a link to its rows. */
export function Figure({
  name,
  tag,
  value,
  unit,
  more,
  href,
  bad = false,
  graph,
}: {
  name: string
  /** Beside the name: a state. */
  tag?: ReactNode
  /** Undefined until the value is loaded. */
  value: string | undefined
  unit?: string | undefined
  /** Below it, in one or more lines, which may have links of their own. */
  more: ReactNode | readonly ReactNode[]
  href?: string | undefined
  bad?: boolean
  /** Below everything: how it was before. */
  graph?: ReactNode
}) {
  const chars = Math.max(leastChars, (value ?? '').length + (unit ?? '').length)
  const lines: readonly ReactNode[] = Array.isArray(more) ? more : [more]
  const content = (
    <>
      <span className={styles['figureName']}>
        {name} {tag}
      </span>
      <span className={classes(styles['figureValue'], bad && looks['bad'])}>
        {value === undefined ? '–' : <Digits text={value} />}
        {unit !== undefined && <span className={styles['figureUnit']}> {unit}</span>}
      </span>
    </>
  )
  return (
    <div className={styles['figure']} style={{ '--own': chars } as CSSProperties}>
      {href === undefined ? (
        content
      ) : (
        <a href={href} className={styles['figureLink']}>
          {content}
        </a>
      )}
      {lines.map((line, index) => (
        <span key={index} className={classes(styles['figureMore'], looks['cut'])}>
          {line || '\u00a0'}
        </span>
      ))}
      {graph !== undefined && <div className={styles['figureGraph']}>{graph}</div>}
    </div>
  )
}
