import { type CSSProperties, type ReactNode, Fragment } from 'react'
import { classes } from './classes.ts'
import { trimZeros } from './format.ts'
import { Digits } from './layout.tsx'
import looks from './text.module.css'
import styles from './values.module.css'

/** Shows names and values in two columns. A value that is null or false is omitted with its name. */
export function KeyValues({
  label,
  values = {},
  pairs = Object.entries(values),
  wide = false,
  mono = false,
}: {
  label?: string
  values?: Readonly<Record<string, ReactNode>>
  /** Replaces `values` if a name may occur twice or is not a text. */
  pairs?: readonly (readonly [name: ReactNode, value: ReactNode])[]
  /** True to give the names the width that they need. */
  wide?: boolean
  /** True for the text of a program, such as headers and parameters. The names are shown completely. */
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
            // Values never change their order, and a name may occur twice.
            <Fragment key={index}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </Fragment>
          ),
      )}
    </dl>
  )
}

/** A row of numbers at the top of a page. */
export function Stats({
  label,
  values,
  least,
  children,
}: {
  label?: string
  /** The minimum width of a number in pixels; 180 by default. */
  least?: number
  /** Values with their units if all numbers must have the same size, which is that of the longest. */
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

/** A shorter value does not get a larger size. */
const leastChars = 11

/** Shows a number, its name and its details; `href` makes it a link to its rows. */
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
  /** A state beside the name. */
  tag?: ReactNode
  /** Undefined until the value is loaded. */
  value: string | undefined
  unit?: string | undefined
  /** One or more lines below the number, which may contain links. */
  more: ReactNode | readonly ReactNode[]
  href?: string | undefined
  bad?: boolean
  /** Content below everything, such as the history of the number. */
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
        {value === undefined ? '–' : <Digits text={value.replace(/^\S+/, trimZeros)} />}
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
