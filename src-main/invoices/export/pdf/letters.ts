/** Which signs a statement's font can write; every other is shown as a mark, and counted. */

/** Noto Sans has it, and no text has it by itself. */
export const mark = '\ufffd'

export type Letters = {
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
