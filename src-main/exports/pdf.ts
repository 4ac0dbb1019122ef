/** PDF statements: a cover, tables with repeated headers, notes and page numbers. Lengths are in points. */
import { readFileSync } from 'node:fs'
import PDFDocument from 'pdfkit'
import { readPicture } from './picture.ts'

/** Text that is wider than its column is wrapped, and cut after `max` lines. */
export type Line = {
  readonly text: string
  readonly tone?: 'faint' | 'act'
  readonly max?: number
  /** An id is identified by its ends, so its middle is cut. */
  readonly cut?: 'middle'
}
export type Cell = readonly Line[]

export type StatementColumn = {
  readonly title: string
  readonly width: number
  readonly kind: 'text' | 'amount' | 'count'
}

export type StatementPages = {
  heading(text: string): void
  table(columns: readonly StatementColumn[]): (cells: readonly Cell[], isTotal?: boolean) => void
  note(text: string): void
}

export type Statement = {
  readonly title: string
  readonly subject: string
  readonly at: number
  /** The name above the title; empty for none. */
  readonly merchantName: string
  /** A PNG or JPEG picture on the right of the cover. */
  readonly logo: Buffer | null
  readonly appVersion: string
  readonly foot: string
  readonly facts: readonly { readonly name: string; readonly text: string }[]
  readonly write: (pages: StatementPages) => Promise<void>
}

type Ink = { readonly size: number; readonly isBold?: boolean; readonly color?: string }

const colors = {
  text: '#15191f',
  faint: '#5c6672',
  rule: '#d9dee5',
  band: '#f1f4f8',
  act: '#a4420b',
} as const
/** A landscape A4 page. */
const [width, height] = [841.89, 595.28]
const margin = 40
const [left, right] = [margin, width - margin]
const bottom = height - margin - 12
const lineHeight = 9.6
const inset = 4.5
const gap = 8
const minTableHeight = 92
/** Maximum width and height of the logo. */
const logoRoom = [170, 64] as const
const small: Ink = { size: 7, color: colors.faint }
const body: Ink = { size: 7.6 }

function createDocument({ title, subject, at, appVersion, merchantName }: Statement) {
  const creator = `Tondesk ${appVersion}`
  const document = new PDFDocument({
    size: 'A4',
    layout: 'landscape',
    pdfVersion: '1.7',
    // Without margins, pdfkit never moves content to another page.
    margin: 0,
    // Pages are buffered for "page 3 of 12", which needs the total.
    bufferPages: true,
    // An empty name prevents the built-in fonts, which are not embedded.
    font: '',
    lang: 'en',
    displayTitle: true,
    info: {
      ...(merchantName !== '' && { Author: merchantName }),
      Title: title,
      Subject: subject,
      Creator: creator,
      Producer: creator,
      CreationDate: new Date(at),
    },
  })
  document.registerFont('regular', readFileSync(fontFile('400Regular/NotoSans_400Regular.ttf')))
  document.registerFont('bold', readFileSync(fontFile('600SemiBold/NotoSans_600SemiBold.ttf')))
  document.font('regular')
  return document
}

/** Writes text in a document, cut or wrapped to a width. */
function createTypesetter(document: Document) {
  const widthOf = (text: string, { size, isBold = false }: Ink): number =>
    document.font(isBold ? 'bold' : 'regular', size).widthOfString(text)

  function put(text: string, x: number, at: number, ink: Ink): void {
    if (text === '') return
    document.font(ink.isBold === true ? 'bold' : 'regular', ink.size)
    document.fillColor(ink.color ?? colors.text).text(text, x, at, { lineBreak: false })
  }

  function putRight(text: string, x: number, at: number, ink: Ink): void {
    put(text, x - widthOf(text, ink), at, ink)
  }

  function longest(
    length: number,
    max: number,
    ink: Ink,
    cutAt: (count: number) => string,
  ): string {
    let [low, high] = [0, length]
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if (widthOf(cutAt(middle), ink) <= max) low = middle
      else high = middle - 1
    }
    return cutAt(low)
  }

  function cut(text: string, max: number, ink: Ink, how?: 'middle'): string {
    if (widthOf(text, ink) <= max) return text
    const characters = Array.from(text)
    const head = (count: number) => characters.slice(0, count).join('')
    if (how === undefined) {
      return longest(characters.length, max, ink, (count) => `${head(count).trimEnd()}…`)
    }
    const tail = (count: number) => characters.slice(characters.length - count).join('')
    return longest(characters.length >> 1, max, ink, (count) => `${head(count)}…${tail(count)}`)
  }

  function wrap(text: string, max: number, lines: number, ink: Ink): string[] {
    if (widthOf(text, ink) <= max) return [text]
    const wrapped: string[] = []
    // A comma before a digit is a decimal mark, so the text is not split there.
    let words = text.split(/(?<=[ \-/;]|,(?!\d))/)
    while (words.length > 0 && wrapped.length < lines - 1) {
      const line = (count: number) => words.slice(0, count).join('').trimEnd()
      let count = 0
      while (count < words.length && widthOf(line(count + 1), ink) <= max) count += 1
      if (count === 0) break
      wrapped.push(line(count))
      words = words.slice(count)
    }
    return words.length === 0 ? wrapped : [...wrapped, cut(words.join(''), max, ink)]
  }

  return { widthOf, put, putRight, cut, wrap }
}

export async function* formatStatement(statement: Statement): AsyncGenerator<Uint8Array, void> {
  const document = createDocument(statement)
  const sheet = createSheet(document)
  const { letters, put } = sheet
  writeCover(statement, document, sheet)
  await statement.write({
    heading(text) {
      if (!sheet.makeRoom(minTableHeight + 22)) sheet.y += 22
      put(text, left, sheet.y, { size: 12, isBold: true })
      sheet.y += 21
    },
    table: (columns) => createTableWriter(columns, document, sheet),
    note: (text) => writeNote(text, sheet),
  })
  const count = letters.replaced()
  if (count > 0) {
    const signs =
      count === 1
        ? 'One character that is not in this document’s font is'
        : `${count.toLocaleString('en')} characters that are not in this document’s font are`
    const text = `${signs} shown as \ufffd. Exports as CSV, XLSX and JSON Lines contain every character.`
    writeNote(text, sheet)
  }
  writeMargins(statement, document, sheet)
  document.end()
  yield* document as unknown as AsyncIterable<Uint8Array>
}

type Document = ReturnType<typeof createDocument>
type Sheet = ReturnType<typeof createSheet>

/** Keeps the position on the page and writes the parts one below the other. */
function createSheet(document: Document) {
  // pdfkit's current font, which its types do not declare.
  const { font } = (document as unknown as { _font: { font: Glyphs } })._font
  const sheet = {
    ...createTypesetter(document),
    letters: createLetters((codePoint) => font.hasGlyphForCodePoint(codePoint)),
    y: margin,
    /** Begins a new page unless `needed` points are left on this one. */
    makeRoom(needed: number): boolean {
      if (sheet.y + needed <= bottom) return false
      document.addPage()
      sheet.y = margin
      return true
    },
    rule: (at: number) =>
      void document.moveTo(left, at).lineTo(right, at).lineWidth(0.5).stroke(colors.rule),
  }
  return sheet
}

function writeCover(
  { title, facts, merchantName, logo }: Statement,
  document: Document,
  sheet: Sheet,
): void {
  const { cut, letters, put, wrap } = sheet
  if (logo !== null) {
    // An earlier version may have stored a picture that makes pdfkit throw outside of any call.
    readPicture(logo)
    document.image(logo, right - logoRoom[0], margin - 12, { fit: [...logoRoom], align: 'right' })
  }
  if (merchantName !== '') {
    const ink: Ink = { size: 11, isBold: true }
    const room = right - left - logoRoom[0] - gap
    put(cut(letters.write(merchantName), room, ink), left, margin - 12, ink)
    sheet.y += 10
  }
  put(title, left, sheet.y - 6, { size: 21, isBold: true })
  sheet.y += 30
  for (const { name, text } of facts) {
    put(name, left, sheet.y, { size: 8.5, color: colors.faint })
    const room = right - left - 86 - (logo === null ? 0 : logoRoom[0] + gap)
    for (const line of wrap(letters.write(text), room, 3, { size: 8.5 })) {
      put(line, left + 86, sheet.y, { size: 8.5 })
      sheet.y += 13
    }
  }
  sheet.y -= 12
}

function writeNote(text: string, sheet: Sheet): void {
  const lines = sheet.wrap(text, 700, 4, { size: 7.5 })
  sheet.makeRoom(lines.length * 10 + 12)
  for (const [index, line] of lines.entries()) {
    sheet.put(line, left, sheet.y + 12 + index * 10, { size: 7.5, color: colors.faint })
  }
  sheet.y += lines.length * 10 + 3
}

/** Writes the head and foot of each page. */
function writeMargins(
  { title, subject, foot, merchantName }: Statement,
  document: Document,
  { cut, letters, put, putRight, rule }: Sheet,
): void {
  const head = [merchantName, title, subject]
    .filter((part) => part !== '')
    .map((part) => letters.write(part))
    .join(' · ')
  const { count: pages } = document.bufferedPageRange()
  for (let page = 0; page < pages; page += 1) {
    document.switchToPage(page)
    if (page > 0) put(cut(head, right - left, small), left, margin - 18, small)
    const at = height - 26
    rule(at - 6)
    put(foot, left, at, small)
    putRight(`Page ${page + 1} of ${pages}`, right, at, small)
  }
}

/** Writes the head of a table and repeats it on each page. @returns a function that writes a row */
function createTableWriter(
  columns: readonly StatementColumn[],
  document: Document,
  sheet: Sheet,
): ReturnType<StatementPages['table']> {
  const { cut, letters, put, putRight, widthOf, wrap } = sheet
  const tail = widthOf('.000000000', body)
  const places = columns.map((_, index) =>
    columns.slice(0, index).reduce((x, column) => x + column.width, left + inset),
  )
  const columnsAt = columns.map((column, index) => ({ ...column, x: places[index] ?? left }))

  function head(): void {
    document.rect(left, sheet.y, right - left, 18).fill(colors.band)
    const ink: Ink = { size: 7, isBold: true, color: colors.faint }
    for (const { title: text, width: wide, kind, x } of columnsAt) {
      if (kind === 'text') put(text, x, sheet.y + 4.5, ink)
      // The header stands over the whole part of the amounts.
      else putRight(text, x + wide - gap - (kind === 'amount' ? tail : 0), sheet.y + 4.5, ink)
    }
    sheet.y += 18
  }

  function linesOf(column: StatementColumn, { text, max = 1, cut: how }: Line, ink: Ink) {
    const room = column.width - inset - gap + 0.5
    const written = letters.write(text)
    if (column.kind !== 'text') return [{ text: written, ink }]
    const lines = max === 1 ? [cut(written, room, ink, how)] : wrap(written, room, max, ink)
    return lines.map((line) => ({ text: line, ink }))
  }

  head()
  return (cells, isTotal = false) => {
    const drawn = columnsAt.map((column, index) =>
      (cells[index] ?? []).flatMap((line) => {
        const size = line.tone === 'faint' ? small.size : body.size
        return linesOf(column, line, { size, isBold: isTotal, color: colors[line.tone ?? 'text'] })
      }),
    )
    const tall = Math.max(1, ...drawn.map(({ length }) => length)) * lineHeight + 7.2
    if (sheet.makeRoom(tall)) head()
    for (const [index, lines] of drawn.entries()) {
      const { x, width: wide, kind } = columnsAt[index] ?? { x: left, width: 0, kind: 'text' }
      for (const [number, { text, ink }] of lines.entries()) {
        const at = sheet.y + 2.8 + number * lineHeight
        const [whole = ''] = text.split(/[.,](?=\d*$)/)
        if (kind === 'text') put(text, x, at, ink)
        else if (kind === 'count') putRight(text, x + wide - gap, at, ink)
        else put(text, x + wide - gap - tail - widthOf(whole, ink), at, ink)
      }
    }
    sheet.y += tall
    sheet.rule(sheet.y)
  }
}

type Glyphs = { hasGlyphForCodePoint(codePoint: number): boolean }

/** Fonts are in the package when TypeScript runs directly, and beside the bundle when built. */
function fontFile(path: string): URL {
  const running = import.meta.url
  const [, name = ''] = path.split('/')
  return running.endsWith('.ts')
    ? new URL(`../../node_modules/@expo-google-fonts/noto-sans/${path}`, running)
    : new URL(`./fonts/${name}`, running)
}

/** The font contains this character, and texts do not. */
export const replacementMark = '\ufffd'

const ascii = /^[ -~]*$/
// These characters are invisible, and some reorder the text beside them.
const unseen = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/u
const lineBreak = /\r\n|[\r\n\u2028\u2029]/g

/** Replaces characters that the font lacks by a mark and counts them; a line break becomes a visible sign. */
export function createLetters(hasGlyph: (codePoint: number) => boolean) {
  const isWritten = new Map<string, boolean>()
  let replaced = 0

  function canWrite(sign: string): boolean {
    let can = isWritten.get(sign)
    if (can === undefined) {
      can = !unseen.test(sign) && hasGlyph(sign.codePointAt(0) ?? 0)
      isWritten.set(sign, can)
    }
    return can
  }

  return {
    write(text: string): string {
      if (ascii.test(text)) return text
      const line = text.replace(lineBreak, '¶').replaceAll('\t', ' ').normalize('NFC')
      let written = ''
      for (const sign of line) {
        if (canWrite(sign)) written += sign
        else {
          written += replacementMark
          replaced += 1
        }
      }
      return written
    },
    replaced: () => replaced,
  }
}
