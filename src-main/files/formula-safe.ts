/**
 * Spreadsheets run a cell that begins like a formula. Such a cell gets an apostrophe before it,
 * and so does one that already has apostrophes there, so that taking one off gives it back exactly.
 */
const formulaStart = /^'*[=+\-@\t\r]/

export function guardCell(text: string): string {
  return formulaStart.test(text) ? `'${text}` : text
}

export function unguardCell(text: string): string {
  return text.startsWith("'") && formulaStart.test(text) ? text.slice(1) : text
}
