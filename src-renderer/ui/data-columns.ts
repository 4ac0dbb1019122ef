/** Determines which columns a list shows, and how wide they are. */
import { create } from 'zustand'
import { type MenuItem, menuItem } from './button.tsx'

type Column = {
  readonly id?: string
  readonly name: string
  readonly width: number
  readonly grow?: number
  readonly gives?: number
}

const columnGap = 12
const inset = 14
const checkWidth = 14
/** The width of the widest monospace character in use, in pixels. */
const characterWidth = 7.3

/** The number of characters of a column's longest amount, before its decimal point and from there on. */
export type AmountSize = { readonly whole: number; readonly rest: number }
export type AmountSizes = Readonly<Record<string, AmountSize>>

/** The name of the column in the setting of hidden columns. */
const idOf = ({ id, name }: Column) => id ?? name

export function sizeOfAmount(text: string): AmountSize {
  const point = text.search(/[. ]/)
  const whole = point === -1 ? text.length : point
  return { whole, rest: text.length - whole }
}

/** Sizes only grow, so that columns do not change their widths while the user scrolls. */
export function measureAmounts<T>(
  columns: readonly (Column & {
    readonly look?: string
    readonly cell: (row: T, index: number, shows: (column: string) => boolean) => unknown
  })[],
  rows: readonly T[],
  before: AmountSizes,
): AmountSizes {
  const now: Record<string, AmountSize> = { ...before }
  for (const { name, look, cell } of columns) {
    if (look !== 'amount') continue
    for (const [index, row] of rows.entries()) {
      const shown = cell(row, index, () => true)
      if (typeof shown !== 'string') continue
      const { whole, rest } = sizeOfAmount(shown)
      const known = now[name] ?? { whole: 0, rest: 0 }
      if (whole <= known.whole && rest <= known.rest) continue
      now[name] = { whole: Math.max(whole, known.whole), rest: Math.max(rest, known.rest) }
    }
  }
  return Object.entries(now).every(([name, size]) => before[name] === size) ? before : now
}

function leastWidth({ name, width }: Column, sizes: AmountSizes): number {
  const { whole = 0, rest = 0 } = sizes[name] ?? {}
  return Math.max(width, Math.ceil((whole + rest) * characterWidth))
}

/** Returns the columns that fit into a width in pixels; 0 means that the width is not known yet. */
export function fitColumns<C extends Column>(
  columns: readonly C[],
  {
    width,
    hidden,
    sizes,
    hasChecks,
  }: {
    width: number
    hidden: ReadonlySet<string> | undefined
    sizes: AmountSizes
    hasChecks: boolean
  },
): { readonly shown: readonly C[]; readonly template: string; readonly least: number } {
  const total = (some: readonly C[]) =>
    some.reduce(
      (sum, column) => sum + leastWidth(column, sizes) + columnGap,
      2 * inset - columnGap,
    ) + (hasChecks ? checkWidth + columnGap : 0)
  let shown = columns.filter((column) => hidden?.has(idOf(column)) !== true)
  const giving = shown.filter(({ gives }) => gives !== undefined)
  for (const column of giving.sort((a, b) => (b.gives ?? 0) - (a.gives ?? 0))) {
    if (width === 0 || total(shown) <= width) break
    shown = shown.filter((each) => each !== column)
  }
  const tracks = shown.map((column) => {
    const least = leastWidth(column, sizes)
    return column.grow === undefined ? `${least}px` : `minmax(${least}px, ${column.grow}fr)`
  })
  const template = [...(hasChecks ? [`${checkWidth}px`] : []), ...tracks].join(' ')
  return { shown, template, least: total(shown) }
}

/** Stores the ids of the columns that the user hides in `localStorage`. */
export function createHiddenColumns(storageKey: string) {
  const kept = () => (window.localStorage.getItem(storageKey) ?? '').split(',')
  const use = create<{ readonly hidden: ReadonlySet<string> }>(() => ({
    hidden: new Set(kept().filter((id) => id !== '')),
  }))

  function toggle(id: string): void {
    const hidden = new Set(use.getState().hidden)
    if (!hidden.delete(id)) hidden.add(id)
    window.localStorage.setItem(storageKey, [...hidden].join(','))
    use.setState({ hidden })
  }

  return {
    /** Returns the value for the `hidden` of a `DataList`. */
    useHidden: () => use((state) => state.hidden),
    /** Returns menu items: each column that can be hidden, and whether it is shown. */
    useItems(columns: readonly Column[]): MenuItem[] {
      const hidden = use((state) => state.hidden)
      return columns
        .filter(({ gives }) => gives !== undefined)
        .map((column) =>
          menuItem(column.name, { checked: !hidden.has(idOf(column)) }, () => toggle(idOf(column))),
        )
    },
  }
}
