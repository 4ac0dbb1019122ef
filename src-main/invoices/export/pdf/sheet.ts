/** A statement's paper: pages with a running head and foot, and ink on them. All measures are points. */
import { readFileSync } from 'node:fs'
import PDFDocument from 'pdfkit'

/** Which signs a statement's font can write; every other is shown as a mark, and counted. */

/** Noto Sans has it, and no text has it by itself. */
export const mark = '\ufffd'

type Letters = {
  /** In one line: a line break of the text is shown as its sign. */
  write(text: string): string
  /** How many signs were replaced so far. */
  replaced(): number
}

const ascii = /^[ -~]*$/
// The signs themselves could not be seen, and some turn what stands beside them.
const unseen = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/u
const lineBreak = /\r\n|[\r\n\u2028\u2029]/g

export function createLetters(hasGlyph: (codePoint: number) => boolean): Letters {
  const known = new Map<string, boolean>()
  let replaced = 0

  function canWrite(sign: string): boolean {
    let can = known.get(sign)
    if (can === undefined) {
      can = !unseen.test(sign) && hasGlyph(sign.codePointAt(0) ?? 0)
      known.set(sign, can)
    }
    return can
  }

  return {
    write(text) {
      if (ascii.test(text)) return text
      const line = text.replace(lineBreak, '¶').replaceAll('\t', ' ').normalize('NFC')
      let written = ''
      for (const sign of line) {
        if (canWrite(sign)) written += sign
        else {
          written += mark
          replaced += 1
        }
      }
      return written
    },
    replaced: () => replaced,
  }
}

export type Fonts = { readonly regular: URL; readonly bold: URL }

export type Ink = {
  readonly size?: number
  readonly bold?: boolean
  readonly color?: string
  /** Of the width from `x`. */
  readonly right?: number
}

export type Sheet = {
  readonly letters: Letters
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
  /** @param text already written by `letters` */
  put(text: string, x: number, y: number, ink?: Ink): void
  widthOf(text: string, ink?: Ink): number
  /** Cut with an ellipsis where it is wider. */
  fit(text: string, width: number, ink?: Ink): string
  /** At most so many lines; the last is cut. */
  wrap(text: string, width: number, max: number, ink?: Ink): string[]
  rule(y: number, color?: string): void
  band(y: number, height: number, color: string): void
  addPage(): void
}

type Statement = {
  readonly title: string
  readonly subject: string
  readonly at: number
  readonly creator: string
  /** What each page ends with; all but the first begin with title and subject. */
  readonly foot: string
  /**
   * Called twice with the same result: first the pages are counted, then they are printed, so that
   * none has to wait in memory for the number of the last.
   */
  readonly draw: (sheet: Sheet, isCounting: boolean) => Promise<void>
}

export const colors = {
  text: '#15191f',
  faint: '#5c6672',
  rule: '#d9dee5',
  band: '#f1f4f8',
  accent: '#0b6bcb',
  act: '#a4420b',
} as const

export const textSize = 7.6
/** A4, lying. */
const [width, height] = [841.89, 595.28]
const margin = 40
const [left, right] = [margin, width - margin]
/** Between the page's edge and the foot. */
const footAt = 26

export async function* formatStatement(
  fonts: Fonts,
  statement: Statement,
): AsyncGenerator<Uint8Array, void> {
  const { title, subject, at, creator } = statement
  const document = new PDFDocument({
    size: 'A4',
    layout: 'landscape',
    pdfVersion: '1.7',
    // What is put stands where it is put: nothing is to be moved to another page.
    margin: 0,
    autoFirstPage: false,
    // None of the fonts that are not embedded.
    font: '',
    lang: 'en',
    displayTitle: true,
    info: {
      ...{ Title: title, Subject: subject, Creator: creator, Producer: creator },
      CreationDate: new Date(at),
    },
  })
  document.registerFont('regular', readFileSync(fonts.regular))
  document.registerFont('bold', readFileSync(fonts.bold))

  const counting = createSheet(document, statement, null)
  await statement.draw(counting, true)
  const printing = createSheet(document, statement, counting.pages())
  await statement.draw(printing, false)
  printing.end()
  document.end()
  yield* document as unknown as AsyncIterable<Uint8Array>
}

/** @param total pages there are going to be; null counts them, and prints nothing */
function createSheet(
  document: PDFKit.PDFDocument,
  { title, subject, foot }: Statement,
  total: number | null,
): Sheet & { pages(): number; end(): void } {
  let pages = 0
  document.font('regular')
  // pdfkit knows it of the font that is in use, and does not say it to TypeScript.
  const { font } = (document as unknown as { _font: { font: Glyphs } })._font
  const letters = createLetters((codePoint) => font.hasGlyphForCodePoint(codePoint))

  function use({ size = textSize, bold = false }: Ink): void {
    document.font(bold ? 'bold' : 'regular', size)
  }

  function widthOf(text: string, ink: Ink = {}): number {
    use(ink)
    return document.widthOfString(text)
  }

  function put(text: string, x: number, y: number, ink: Ink = {}): void {
    if (text === '' || total === null) return
    use(ink)
    const from = ink.right === undefined ? x : x + ink.right - document.widthOfString(text)
    document.fillColor(ink.color ?? colors.text).text(text, from, y, { lineBreak: false })
  }

  function fit(text: string, max: number, ink: Ink = {}): string {
    if (widthOf(text, ink) <= max) return text
    const signs = Array.from(text)
    let [low, high] = [0, signs.length]
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if (widthOf(`${signs.slice(0, middle).join('')}…`, ink) <= max) low = middle
      else high = middle - 1
    }
    return `${signs.slice(0, low).join('').trimEnd()}…`
  }

  function wrap(text: string, max: number, lines: number, ink: Ink = {}): string[] {
    if (widthOf(text, ink) <= max) return [text]
    const wrapped: string[] = []
    let words = text.split(/(?<=[ \-/,;])/)
    while (words.length > 0 && wrapped.length < lines - 1) {
      const fits = (count: number) => widthOf(words.slice(0, count).join('').trimEnd(), ink) <= max
      let count = 0
      while (count < words.length && fits(count + 1)) count += 1
      // One that is wider than the line is cut below, with all that follows.
      if (count === 0) break
      wrapped.push(words.slice(0, count).join('').trimEnd())
      words = words.slice(count)
    }
    return words.length === 0 ? wrapped : [...wrapped, fit(words.join(''), max, ink)]
  }

  function rule(y: number, color: string = colors.rule): void {
    if (total === null) return
    document.moveTo(left, y).lineTo(right, y).lineWidth(0.5).stroke(color)
  }

  /** Head and foot of the page that is there. */
  function finish(): void {
    const small: Ink = { size: 7, color: colors.faint }
    if (pages > 1) {
      const head = `${title} · ${letters.write(subject)}`
      put(fit(head, right - left, small), left, margin - 18, small)
    }
    const y = height - footAt
    rule(y - 6)
    put(foot, left, y, small)
    put(`Page ${pages} of ${total ?? 0}`, left, y, { ...small, right: right - left })
  }

  function addPage(): void {
    if (pages > 0) finish()
    pages += 1
    if (total !== null) document.addPage()
  }

  addPage()
  return {
    ...{ letters, left, right, top: margin, bottom: height - margin - 12 },
    ...{ put, widthOf, fit, wrap, rule, addPage },
    band(y, tall, color) {
      if (total !== null) document.rect(left, y, right - left, tall).fill(color)
    },
    pages: () => pages,
    end: finish,
  }
}

type Glyphs = { hasGlyphForCodePoint(codePoint: number): boolean }
