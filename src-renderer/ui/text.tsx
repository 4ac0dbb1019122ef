import type { ComponentPropsWithRef, ElementType } from 'react'
import { classes } from './classes.ts'
import styles from './text.module.css'

type Look = {
  tone?: 'dim' | 'faint' | 'ok' | 'warn' | 'bad' | 'accent' | undefined
  size?: 'xs' | 's' | 'm' | 'l'
  strong?: boolean
  mono?: boolean
  /** Figures of one width, at the end of their line. */
  number?: boolean
  /**
   * What finds no room: cut off with an ellipsis, after one line or two; broken anywhere; or kept on its line.
   * `lines` also keeps line ends.
   */
  over?: 'cut' | 'cut2' | 'break' | 'nowrap' | 'lines'
  /** For screen readers only. */
  hidden?: boolean
}

export function textClasses({ tone, size, strong, mono, number, over, hidden }: Look): string {
  return classes(
    tone !== undefined && styles[tone],
    size !== undefined && styles[size === 's' ? 'small' : size],
    strong === true && styles['strong'],
    mono === true && styles['mono'],
    number === true && styles['number'],
    over !== undefined && styles[over],
    hidden === true && styles['hidden'],
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

/** An exact amount such as `1.500000000 TON`: the zeros that end its fraction, and its unit, are dim. */
export function Digits({ text }: { text: string }) {
  const space = text.indexOf(' ')
  const number = space === -1 ? text : text.slice(0, space)
  const [zeros = ''] = number.includes('.') ? (/\.?0*$/.exec(number) ?? []) : []
  const unit = text.slice(number.length)
  return (
    <>
      {number.slice(0, number.length - zeros.length)}
      {zeros !== '' && <span className={styles['zeros']}>{zeros}</span>}
      {unit !== '' && <span className={styles['dim']}>{unit}</span>}
    </>
  )
}
