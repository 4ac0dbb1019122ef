import { columnsOf } from './visible-text.ts'

/** A text cut into rows that fit the width. Rows know their line; a row that goes on has none. */
type TextRows = {
  readonly text: string
  readonly count: number
  /** Where each row starts; one more entry than rows. */
  readonly starts: Int32Array
  /** Line number from 1, or 0 where the row continues the line above. */
  readonly lines: Int32Array
  readonly lineCount: number
}

/** Cuts at line feeds and at `columns`. A line of a megabyte becomes many rows, none of them long. */
export function layOutText(text: string, columns: number): TextRows {
  const starts: number[] = [0]
  const lines: number[] = [1]
  let line = 1
  let used = 0
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === 0x0a) {
      line += 1
      used = 0
      starts.push(at + 1)
      lines.push(line)
      continue
    }
    const secondHalf = code >= 0xdc00 && code <= 0xdfff && at > 0
    const width = secondHalf ? 0 : columnsOf(code)
    if (used > 0 && used + width > columns) {
      starts.push(at)
      lines.push(0)
      used = 0
    }
    used += width
  }
  starts.push(text.length)
  return {
    text,
    count: lines.length,
    starts: Int32Array.from(starts),
    lines: Int32Array.from(lines),
    lineCount: line,
  }
}

/** The text of a row, without the line feed that ends it. */
export function textOfRow(rows: TextRows, row: number): string {
  const text = rows.text.slice(rows.starts[row], rows.starts[row + 1])
  return text.endsWith('\n') ? text.slice(0, -1) : text
}
