// Spreadsheets skip white space before a formula and read full-width signs as plain ones.
const start = String.raw`(?:[\s\ufeff]*[=+\-@|＝＋－＠]|[\t\r\n])`

const formulaStart = new RegExp(`^'*${start}`)
/** A raw masterchain address is no formula, and an apostrophe would make it useless for other programs. */
const masterchainAddress = /^-1:[0-9a-f]{64}$/

/**
 * Spreadsheets run a cell that begins like a formula, so it gets an apostrophe. Cells that already have
 * one get another, so that removing one restores the text.
 */
export function guardCell(text: string): string {
  return formulaStart.test(text) && !masterchainAddress.test(text) ? `'${text}` : text
}

export function unguardCell(text: string): string {
  return text.startsWith("'") && formulaStart.test(text) ? text.slice(1) : text
}

const formulaOrQuote = new RegExp(`^(?:'|${start})`)

/**
 * For files that programs read back: texts that begin like a formula or with an apostrophe get one more,
 * so that a reader always removes one.
 */
export function guardText(text: string): string {
  return formulaOrQuote.test(text) ? `'${text}` : text
}
