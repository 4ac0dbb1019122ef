/** Tables of a statement: amounts stand under one another by their decimal mark. */
import { type Ink, type Sheet, colors, textSize } from './sheet.ts'

export type Column = {
  readonly title: string
  readonly width: number
  /** `amount`: by its decimal mark; `count`: at its right end. */
  readonly kind: 'text' | 'amount' | 'count'
}

export type Line = { readonly text: string; readonly tone?: 'faint' | 'act' | 'bold' }
export type Cell = readonly Line[]

/** Room for the decimals of a nanoton. */
const decimals = '.000000000'
const lineHeight = 9.6
const gap = 8
const smallSize = 7
const padding = 3.6
const inset = 4.5
const headHeight = 18

export type Table = {
  /** At the place where the next row goes. */
  head(): void
  row(cells: readonly Cell[], options?: { readonly isTotal?: boolean }): void
  y(): number
}

/**
 * @param y where it begins; rows go on upon the next page, under the same head
 * @param onPage whenever a page was begun
 */
export function createTable(sheet: Sheet, columns: readonly Column[], from: number): Table {
  let y = from
  const tail = sheet.widthOf(decimals)

  function place(index: number): number {
    return columns.slice(0, index).reduce((x, { width }) => x + width, sheet.left)
  }

  function head(): void {
    sheet.band(y, headHeight, colors.band)
    columns.forEach(({ title, width, kind }, index) => {
      const ink: Ink = { size: 7, bold: true, color: colors.faint }
      const x = place(index) + inset
      // Over the whole part of its amounts.
      const right = kind === 'amount' ? width - gap - tail : width - gap
      sheet.put(title, x, y + 4.5, kind === 'text' ? ink : { ...ink, right })
    })
    y += headHeight
  }

  function write({ text, tone }: Line, index: number, at: number, isTotal: boolean): void {
    const { width, kind } = columns[index] ?? { width: 0, kind: 'text' }
    const color = tone === 'faint' ? colors.faint : tone === 'act' ? colors.act : colors.text
    const size = tone === 'faint' ? smallSize : textSize
    const ink: Ink = { size, bold: isTotal || tone === 'bold', color }
    const x = place(index) + inset
    if (kind === 'text') sheet.put(text, x, at, ink)
    else if (kind === 'count') sheet.put(text, x, at, { ...ink, right: width - gap })
    else {
      const [whole = ''] = text.split(/[.,](?=\d*$)/)
      const point = x + width - gap - tail
      sheet.put(text, point - sheet.widthOf(whole, ink), at, ink)
    }
  }

  return {
    head,
    row(cells, { isTotal = false } = {}) {
      const lines = Math.max(1, ...cells.map((cell) => cell.length))
      const height = lines * lineHeight + 2 * padding
      if (y + height > sheet.bottom) {
        sheet.addPage()
        y = sheet.top
        head()
      }
      cells.forEach((cell, index) => {
        cell.forEach((line, number) => {
          write(line, index, y + padding - 0.8 + number * lineHeight, isTotal)
        })
      })
      y += height
      sheet.rule(y)
    },
    y: () => y,
  }
}
