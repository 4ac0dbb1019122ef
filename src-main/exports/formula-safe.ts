// Spreadsheets look past spaces and line breaks before a formula, and take the full-width signs that
// East Asian keyboards give for the plain ones.
const start = String.raw`(?:[\s\ufeff]*[=+\-@|＝＋－＠]|[\t\r\n])`

const formulaStart = new RegExp(`^'*${start}`)
/**
 * A raw masterchain address is hexadecimal digits behind `-1:`. No spreadsheet reads that as a
 * formula, and with an apostrophe before it no other program could join it.
 */
const masterchainAddress = /^-1:[0-9a-f]{64}$/

/**
 * Spreadsheets run a cell that begins like a formula. Such a cell gets an apostrophe before it,
 * and so does one that already has apostrophes there, so that taking one off gives it back exactly.
 */
export function guardCell(text: string): string {
  return formulaStart.test(text) && !masterchainAddress.test(text) ? `'${text}` : text
}

export function unguardCell(text: string): string {
  return text.startsWith("'") && formulaStart.test(text) ? text.slice(1) : text
}

const formulaOrQuote = new RegExp(`^(?:'|${start})`)

/**
 * The pair for files whose every row must come back exactly, whoever reads them: a text that begins
 * like a formula gets an apostrophe, and one that begins with an apostrophe gets another, so that a
 * reader takes one off wherever there is one.
 */
export function guardText(text: string): string {
  return formulaOrQuote.test(text) ? `'${text}` : text
}

export function unguardText(text: string): string {
  return text.startsWith("'") ? text.slice(1) : text
}
