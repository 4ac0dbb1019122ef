/** What a statement begins with: what it is, of whom, of when. */
import { type Sheet, colors } from './sheet.ts'

export type Fact = { readonly name: string; readonly text: string }

const nameWidth = 86
const factLine = 13

/** @returns where the rest goes on */
export function putFront(sheet: Sheet, title: string, facts: readonly Fact[]): number {
  const { left, right, top } = sheet
  sheet.put(title, left, top - 6, { size: 21, bold: true })
  let y = top + 30
  for (const { name, text } of facts) {
    sheet.put(name, left, y, { size: 8.5, color: colors.faint })
    const lines = sheet.wrap(sheet.letters.write(text), right - left - nameWidth, 3, { size: 8.5 })
    for (const line of lines) {
      sheet.put(line, left + nameWidth, y, { size: 8.5 })
      y += factLine
    }
  }
  return y + 10
}

export function putHeading(sheet: Sheet, text: string, y: number): number {
  sheet.put(text, sheet.left, y, { size: 12, bold: true })
  return y + 21
}

/** @returns where it begins */
export function newPage(sheet: Sheet): number {
  sheet.addPage()
  return sheet.top
}

const noteWidth = 700

/** Small print below all. */
export function putNotes(sheet: Sheet, notes: readonly string[], from: number): void {
  let y = from + 12
  for (const note of notes) {
    const lines = sheet.wrap(note, noteWidth, 4, { size: 7.5 })
    if (y + lines.length * 10 > sheet.bottom) {
      sheet.addPage()
      y = sheet.top
    }
    for (const line of lines) {
      sheet.put(line, sheet.left, y, { size: 7.5, color: colors.faint })
      y += 10
    }
    y += 3
  }
}

/** Said at the end of a statement, where it is so. */
export function lettersNote(sheet: Sheet): string[] {
  const count = sheet.letters.replaced()
  if (count === 0) return []
  const [signs, are] =
    count === 1 ? ['One sign', 'is'] : [`${count.toLocaleString('en')} signs`, 'are']
  return [
    `${signs} that this document’s font cannot write ${are} shown as \ufffd; the export as CSV, XLSX or JSON Lines has them as they are.`,
  ]
}
