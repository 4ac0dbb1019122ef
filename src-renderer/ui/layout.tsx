/** How parts stand beside and below each other. Pages compose these, and have no CSS of their own. */
import {
  type CSSProperties,
  type ComponentPropsWithRef,
  type ElementType,
  type ReactNode,
  useId,
  useState,
} from 'react'
import { classes } from './classes.ts'
import styles from './layout.module.css'
import type { Tone } from './tag.tsx'

type BoxProps<E extends ElementType> = Omit<ComponentPropsWithRef<E>, 'as' | 'className'> & {
  /** The element, `div` by default. */
  as?: E
  /** Between children: 4, 6, 8, 12 or 20 pixels. */
  gap?: 'xs' | 's' | 'm' | 'l' | 'xl' | 'none' | undefined
  /** Around them: `m` is that of a bar, `l` that of a page. */
  pad?: 's' | 'm' | 'l' | 'xl' | undefined
  line?: 'below' | 'above' | 'box' | undefined
  /** Takes what room is left in a `Row`. */
  grow?: boolean | undefined
  /** Stands at the far end of a `Row`. */
  last?: boolean | undefined
  /** As high as what it stands in. */
  fill?: boolean | undefined
  scroll?: boolean | undefined
}

function boxClasses({
  gap = 'm',
  pad,
  line,
  grow,
  last,
  fill,
  scroll,
}: Pick<BoxProps<'div'>, 'gap' | 'pad' | 'line' | 'grow' | 'last' | 'fill' | 'scroll'>) {
  return classes(
    gap !== 'none' && styles[`gap-${gap}`],
    pad !== undefined && styles[`pad-${pad}`],
    line !== undefined && styles[line],
    grow === true && styles['grow'],
    last === true && styles['last'],
    fill === true && styles['fill'],
    scroll === true && styles['scroll'],
  )
}

function Box({
  as: Element = 'div',
  gap,
  pad,
  line,
  grow,
  last,
  fill,
  scroll,
  className,
  ...rest
}: BoxProps<'div'> & { as?: ElementType; className: string }) {
  const own = boxClasses({ gap, pad, line, grow, last, fill, scroll })
  return <Element {...rest} className={classes(className, own)} />
}

/** Side by side, centred on one line. */
export function Row<E extends ElementType = 'div'>({
  wrap = false,
  align,
  justify,
  ...rest
}: BoxProps<E> & {
  wrap?: boolean
  align?: 'start' | 'baseline'
  justify?: 'between' | 'end' | undefined
}) {
  const className = classes(
    styles['row'],
    wrap && styles['wrap'],
    align !== undefined && styles[align],
    justify !== undefined && styles[justify],
  )
  return <Box {...(rest as BoxProps<'div'>)} className={className} />
}

/** One below the other, each as wide as there is room. */
export function Stack<E extends ElementType = 'div'>(props: BoxProps<E>) {
  return <Box {...(props as BoxProps<'div'>)} className={styles['stack'] ?? ''} />
}

/** Bars of their own height, and the last child in the rest of the room. */
export function Pane({
  roomy = false,
  foot = null,
  children,
  ...rest
}: Omit<ComponentPropsWithRef<'div'>, 'className'> & {
  /** The last child has room for a list; what does not fit scrolls. */
  roomy?: boolean
  /** Below the last child: what is open in a list. */
  foot?: ReactNode
}) {
  const hasFoot = foot !== null && foot !== false
  return (
    <div
      {...rest}
      className={classes(styles['pane'], hasFoot && styles['footed'], roomy && styles['roomy'])}
    >
      {children}
      {hasFoot && <div className={styles['foot']}>{foot}</div>}
    </div>
  )
}

/** As many columns as there is room for; those of an `ol` are numbered. */
export function Columns({
  least,
  gap,
  as: Element = 'div',
  wideFirst = false,
  children,
}: {
  /** The least width of one, in pixels. */
  least: number
  /** Two columns: the first takes two thirds, unless the window is narrow. */
  wideFirst?: boolean
  gap?: BoxProps<'div'>['gap']
  as?: 'div' | 'ol'
  children: ReactNode
}) {
  const width = { '--least': `${least}px` } as CSSProperties
  return (
    <Element
      className={classes(styles['columns'], wideFirst && styles['wideFirst'], boxClasses({ gap }))}
      style={width}
    >
      {children}
    </Element>
  )
}

/** A part of a detail or a page, with its heading. */
export function Section({
  title,
  detail,
  actions,
  level = 3,
  children,
  ...rest
}: {
  title: ReactNode
  /** A sentence or two below the heading. */
  detail?: ReactNode
  /** Beside the heading. */
  actions?: ReactNode
  /** Of the heading. */
  level?: 2 | 3
} & Omit<ComponentPropsWithRef<'section'>, 'className' | 'title'>) {
  const id = useId()
  const Heading: ElementType = `h${level}`
  return (
    <section
      {...rest}
      className={styles['section']}
      aria-labelledby={rest['aria-label'] === undefined ? id : undefined}
    >
      <header>
        <Heading id={id}>{title}</Heading>
        {actions}
      </header>
      {detail !== undefined && <p className={styles['detail']}>{detail}</p>}
      {children}
    </section>
  )
}

/** A tinted part across the page or the form. `bad` is read out at once, unless it has another role. */
export function Note({
  tone = 'plain',
  role = tone === 'bad' ? 'alert' : undefined,
  label,
  children,
}: {
  tone?: Tone
  role?: 'alert' | 'status' | 'region' | undefined
  label?: string
  children: ReactNode
}) {
  return (
    <div className={classes(styles['note'], styles[tone])} role={role} aria-label={label}>
      {children}
    </div>
  )
}

/** A part that is shown on demand. */
export function Fold({
  summary,
  open = false,
  boxed = false,
  lazy = false,
  children,
}: {
  summary: ReactNode
  /** Whether it is open at first. */
  open?: boolean
  boxed?: boolean
  /** Its content exists only while it is open. */
  lazy?: boolean
  children: ReactNode
}) {
  const [isOpen, setOpen] = useState(open)
  return (
    <details
      className={classes(styles['fold'], boxed && styles['box'])}
      open={open}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>{summary}</summary>
      <Stack gap="l">{(isOpen || !lazy) && children}</Stack>
    </details>
  )
}
