/**
 * The building blocks of pages, so that pages need no CSS: the arrangement of parts, and the style
 * of texts and tags. Times are in `time.tsx`, named values and numbers in `values.tsx`.
 */
import {
  type CSSProperties,
  type ComponentPropsWithRef,
  type ElementType,
  type ReactNode,
  useId,
  useState,
} from 'react'
import { classes } from './classes.ts'
import { splitZeros } from './format.ts'
import styles from './layout.module.css'
import looks from './text.module.css'

type BoxProps<E extends ElementType> = Omit<ComponentPropsWithRef<E>, 'as' | 'className'> & {
  /** The HTML element, `div` by default. */
  as?: E
  /** The space between children: 4, 6, 8, 12 or 20 pixels. */
  gap?: 'xs' | 's' | 'm' | 'l' | 'xl' | 'none' | undefined
  /** The padding: `m` for a bar, `l` for a page. */
  pad?: 's' | 'm' | 'l' | 'xl' | undefined
  line?: 'below' | 'above' | 'box' | undefined
  /** True to take the remaining space in a `Row`. */
  grow?: boolean | undefined
  /** True to be at the far end of a `Row`. */
  last?: boolean | undefined
  /** True to use the height of the container. */
  fill?: boolean | undefined
  /** True for enough height for a list that scrolls. */
  room?: boolean | undefined
  scroll?: boolean | undefined
}

function boxClasses({
  gap = 'm',
  pad,
  line,
  grow,
  last,
  fill,
  room,
  scroll,
}: Pick<BoxProps<'div'>, 'gap' | 'pad' | 'line' | 'grow' | 'last' | 'fill' | 'room' | 'scroll'>) {
  return classes(
    gap !== 'none' && styles[`gap-${gap}`],
    pad !== undefined && styles[`pad-${pad}`],
    line !== undefined && styles[line],
    grow === true && styles['grow'],
    last === true && styles['last'],
    fill === true && styles['fill'],
    room === true && styles['room'],
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
  room,
  scroll,
  className,
  ...rest
}: BoxProps<'div'> & { as?: ElementType; className: string }) {
  const own = boxClasses({ gap, pad, line, grow, last, fill, room, scroll })
  return <Element {...rest} className={classes(className, own)} />
}

/** Places its children side by side, vertically centred. */
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

/** Places its children below each other, each with the full width. */
export function Stack<E extends ElementType = 'div'>(props: BoxProps<E>) {
  return <Box {...(props as BoxProps<'div'>)} className={styles['stack'] ?? ''} />
}

/** Shows bars with their own height, and the last child in the remaining space. */
export function Pane({
  roomy = false,
  foot = null,
  children,
  ...rest
}: Omit<ComponentPropsWithRef<'div'>, 'className'> & {
  /** True to leave space for a list in the last child; content that does not fit scrolls. */
  roomy?: boolean
  /** Content below the last child, such as the open item of a list. */
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

/** Shows as many columns as fit; columns of an `ol` are numbered. */
export function Columns({
  least,
  gap,
  as: Element = 'div',
  wideFirst = false,
  children,
}: {
  /** The minimum width of a column in pixels. */
  least: number
  /** True if the first of two columns takes two thirds, unless the window is narrow. */
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

/** A section of a detail or a page, with its heading. */
export function Section({
  title,
  detail,
  actions,
  end,
  level = 3,
  children,
  ...rest
}: {
  title: ReactNode
  /** One or two sentences below the heading. */
  detail?: ReactNode
  /** Elements next to the heading. */
  actions?: ReactNode
  /** Elements at the end of the heading's line. */
  end?: ReactNode
  /** The level of the heading. */
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
        {end !== undefined && <Row last>{end}</Row>}
      </header>
      {detail !== undefined && <p className={styles['detail']}>{detail}</p>}
      {children}
    </section>
  )
}

/** A tinted note across the page or the form. A `bad` note is read out at once, unless it has another role. */
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

/** A part that the user can show and hide. */
export function Fold({
  summary,
  open = false,
  boxed = false,
  lazy = false,
  children,
}: {
  summary: ReactNode
  /** True if the part is shown at first. */
  open?: boolean
  boxed?: boolean
  /** True if the content exists only while it is shown. */
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

type Look = {
  tone?: 'dim' | 'faint' | 'ok' | 'warn' | 'bad' | 'accent' | undefined
  size?: 'xs' | 's' | 'm' | 'l'
  strong?: boolean
  mono?: boolean
  /** True for digits of equal width, aligned to the end of the line. */
  number?: boolean
  /**
   * The treatment of text that does not fit: cut with an ellipsis after one or two lines, broken
   * anywhere, or kept on its line. `lines` also keeps line breaks.
   */
  over?: 'cut' | 'cut2' | 'break' | 'nowrap' | 'lines'
  /** True to show the text only to screen readers. */
  hidden?: boolean
}

export const textClasses = ({ tone, size, strong, mono, number, over, hidden }: Look): string =>
  classes(
    tone !== undefined && looks[tone],
    size !== undefined && looks[size === 's' ? 'small' : size],
    strong === true && looks['strong'],
    mono === true && looks['mono'],
    number === true && looks['number'],
    over !== undefined && looks[over],
    hidden === true && looks['hidden'],
  )

export type TextProps<E extends ElementType> = Look & { as?: E } & Omit<
    ComponentPropsWithRef<E>,
    'as' | 'className' | keyof Look
  >

/** Text with a style; a `span` unless `as` is set. */
export function Text<E extends ElementType = 'span'>({
  as,
  tone,
  size,
  strong,
  mono,
  number,
  over,
  hidden,
  ...rest
}: TextProps<E>) {
  const Element: ElementType = as ?? 'span'
  const look = textClasses({ tone, size, strong, mono, number, over, hidden } as Look)
  return <Element {...rest} className={look} />
}

/** Small dim text in a line, which adds to the text beside it. */
export function Small({
  tone = 'dim',
  over,
  children,
}: Pick<Look, 'tone' | 'over'> & { children: ReactNode }) {
  return (
    <Text size="s" tone={tone} {...(over !== undefined && { over })}>
      {children}
    </Text>
  )
}

/** A small link beside others. */
export function SmallLink(
  props: Pick<
    ComponentPropsWithRef<'a'>,
    'href' | 'title' | 'target' | 'rel' | 'aria-label' | 'children'
  >,
) {
  return <Text as="a" size="s" over="nowrap" {...props} />
}

/** A small dim sentence about the purpose of a part, or why it is empty. */
export function Hint(
  props: Pick<ComponentPropsWithRef<'p'>, 'children' | 'aria-live' | 'role' | 'id'>,
) {
  return <Text as="p" size="s" tone="dim" over="break" {...props} />
}

/** Shows why an action failed or was refused, read out at once; nothing if there is no problem. */
export function Problem({ children, id }: { children: ReactNode; id?: string }) {
  if (children === null || children === undefined || children === false) return null
  return (
    <Text as="p" id={id} size="s" tone="bad" over="break" role="alert">
      {children}
    </Text>
  )
}

/** Shows an exact amount such as `1.500000000 TON`, with dim trailing zeros and unit. */
export function Digits({ text }: { text: string }) {
  const space = text.indexOf(' ')
  const number = space === -1 ? text : text.slice(0, space)
  const [kept, zeros] = splitZeros(number)
  const unit = text.slice(number.length)
  return (
    <>
      {kept}
      {zeros !== '' && <span className={looks['zeros']}>{zeros}</span>}
      {unit !== '' && <span className={looks['dim']}>{unit}</span>}
    </>
  )
}

export type Tone = 'ok' | 'warn' | 'bad' | 'plain'

/** A word on a tinted background. The word has the full meaning; the color only supports it. */
export function Tag({
  tone = 'plain',
  title,
  children,
}: {
  tone?: Tone
  title?: string | undefined
  children: ReactNode
}) {
  return (
    <span
      className={classes(styles['tag'], styles[tone], tone !== 'plain' && looks[tone])}
      title={title}
    >
      {children}
    </span>
  )
}

/** A dot in the color of the surrounding text, or in its own color. */
export function Dot({ tone, hollow = false }: { tone?: Look['tone']; hollow?: boolean }) {
  const colour = tone !== undefined && looks[tone]
  return <span className={classes(styles['dot'], hollow && styles['hollow'], colour)} />
}

/** A key or a chord as on the keyboard: `Ctrl K`, `j`. */
export function Kbd({ children }: { children: string }) {
  return <kbd className={styles['kbd']}>{children}</kbd>
}
