/** A line of a text, or a part of one that is too long to be held whole. */
export type TextLine = {
  readonly text: string
  /** From 1. */
  readonly number: number
  /** One word without end: of it only this beginning was kept. */
  readonly isEndless: boolean
}

type LineReader = {
  read(piece: string): Generator<TextLine, void>
  /** What stands behind the last line end. */
  end(): Generator<TextLine, void>
  /** Lines begun so far. */
  count(): number
}

/** Longer lines go on in parts, cut between two words: a list may well stand on one line. */
const longestHeld = 65_536
const keptOfEndless = 1000

const lineEnd = /\r\n|\n|\r/
const wordEnd = /[\r\n,;\t ]/
const separators = [',', ';', '\t', ' ']

/** Lines of a text that comes in pieces. Ends are CRLF, LF or CR; memory is bounded whatever comes. */
export function createLineReader(): LineReader {
  let held = ''
  let ended = 0
  let afterReturn = false
  /** Within a word without end, of which the beginning has been given. */
  let skipping = false

  function* give(text: string, isWhole: boolean): Generator<TextLine, void> {
    const number = ended + 1
    let rest = text
    while (rest.length > longestHeld) {
      const cut = Math.max(...separators.map((one) => rest.lastIndexOf(one, longestHeld)))
      if (cut > 0) {
        yield { text: rest.slice(0, cut), number, isEndless: false }
        rest = rest.slice(cut + 1)
      } else {
        yield { text: rest.slice(0, keptOfEndless), number, isEndless: true }
        rest = skip(rest)
      }
    }
    held = isWhole ? '' : rest
    if (!isWhole) return
    ended += 1
    skipping = false
    yield { text: rest, number, isEndless: false }
  }

  /** What follows the word's end; nothing while it has none. */
  function skip(text: string): string {
    const end = text.search(wordEnd)
    skipping = end === -1
    return end === -1 ? '' : text.slice(end)
  }

  return {
    *read(piece) {
      if (piece === '') return
      // The second half of a CRLF that was cut in two.
      let text = afterReturn && piece.startsWith('\n') ? piece.slice(1) : piece
      afterReturn = text.endsWith('\r')
      if (skipping) text = skip(text)
      const lines = text.split(lineEnd)
      const last = lines.length - 1
      for (const [index, line] of lines.entries()) yield* give(held + line, index < last)
    },
    *end() {
      if (held !== '' || skipping) yield* give(held, true)
    },
    count: () => (held === '' && !skipping ? ended : ended + 1),
  }
}
