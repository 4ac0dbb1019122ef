// Spreadsheets skip white space before a formula and accept full-width signs.
const start = String.raw`(?:[\s\ufeff]*[=+\-@|＝＋－＠]|[\t\r\n])`

const formulaStart = new RegExp(`^'*${start}`)
/** A raw masterchain address is no formula, and other programs could not use it with an apostrophe. */
const masterchainAddress = /^-1:[0-9a-f]{64}$/

/**
 * Spreadsheets run a cell that begins like a formula, so it gets an apostrophe. Cells that already have
 * one get another, so that removing one restores the text.
 */
export const guardCell = (text: string): string =>
  formulaStart.test(text) && !masterchainAddress.test(text) ? `'${text}` : text

export const unguardCell = (text: string): string =>
  text.startsWith("'") && formulaStart.test(text) ? text.slice(1) : text

const formulaOrQuote = new RegExp(`^(?:'|${start})`)

/**
 * In files that programs read back, a text that begins like a formula or with an apostrophe gets
 * one more, so that a reader always removes one.
 */
export const guardText = (text: string): string => (formulaOrQuote.test(text) ? `'${text}` : text)
