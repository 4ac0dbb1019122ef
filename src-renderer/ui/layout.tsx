/**
 * The building blocks of pages, so that pages need no CSS of their own: how parts stand beside and below each
 * other, and how texts and tags look. Moments are in `time.tsx`, named values and figures in `values.tsx`.
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
  /** The element takes the height of its container. */
  fill?: boolean | undefined
  /** High enough for a list that scrolls on its own. */
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

/** As many columns as fit; those of an `ol` are numbered. */
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
  end,
  level = 3,
  children,
  ...rest
}: {
  title: ReactNode
  /** A sentence or two below the heading. */
  detail?: ReactNode
  /** Beside the heading. */
  actions?: ReactNode
  /** At the end of its line. */
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

type Look = {
  tone?: 'dim' | 'faint' | 'ok' | 'warn' | 'bad' | 'accent' | undefined
  size?: 'xs' | 's' | 'm' | 'l'
  strong?: boolean
  mono?: boolean
  /** Figures of one width, at the end of their line. */
  number?: boolean
  /**
   * Text that does not fit: cut off with an ellipsis, after one line or two; broken anywhere; or kept on its line.
   * `lines` also keeps line ends.
   */
  over?: 'cut' | 'cut2' | 'break' | 'nowrap' | 'lines'
  /** For screen readers only. */
  hidden?: boolean
}

export function textClasses({ tone, size, strong, mono, number, over, hidden }: Look): string {
  return classes(
    tone !== undefined && looks[tone],
    size !== undefined && looks[size === 's' ? 'small' : size],
    strong === true && looks['strong'],
    mono === true && looks['mono'],
    number === true && looks['number'],
    over !== undefined && looks[over],
    hidden === true && looks['hidden'],
  )
}

/** Words with a look. A `span` where `as` says nothing else. */
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
}: Look & { as?: E } & Omit<ComponentPropsWithRef<E>, 'as' | 'className' | keyof Look>) {
  const Element: ElementType = as ?? 'span'
  const look = textClasses({ tone, size, strong, mono, number, over, hidden } as Look)
  return <Element {...rest} className={look} />
}

/** Small and dim inside a line: what adds to the text beside it. */
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

/** A small dim sentence: what a part is for, or why it is empty. */
export function Hint(
  props: Pick<ComponentPropsWithRef<'p'>, 'children' | 'aria-live' | 'role' | 'id'>,
) {
  return <Text as="p" size="s" tone="dim" over="break" {...props} />
}

/** Why something failed or was refused, read out at once; nothing while there is no problem. */
export function Problem({ children, id }: { children: ReactNode; id?: string }) {
  if (children === null || children === undefined || children === false) return null
  return (
    <Text as="p" id={id} size="s" tone="bad" over="break" role="alert">
      {children}
    </Text>
  )
}

/** An exact amount such as `1.500000000 TON`: the zeros that end its fraction, and its unit, are dim. */
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

/** A word on a tinted ground. The word says it all; the colour only helps the eye. */
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

/** A dot in the colour of the text around it, or in its own. */
export function Dot({ tone, hollow = false }: { tone?: Look['tone']; hollow?: boolean }) {
  const colour = tone !== undefined && looks[tone]
  return <span className={classes(styles['dot'], hollow && styles['hollow'], colour)} />
}

/** A key or a chord, as printed on the keyboard: `Ctrl K`, `j`. */
export function Kbd({ children }: { children: string }) {
  return <kbd className={styles['kbd']}>{children}</kbd>
}
