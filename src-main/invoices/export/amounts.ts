const zero = 48

/**
 * What `domain/amount.ts` prints of a bigint, from its digits: a file has millions of them.
 * @param digits minimal units, not negative
 */
export function formatUnits(digits: string, decimals: number, mark: string): string {
  const padded = digits.length > decimals ? digits : digits.padStart(decimals + 1, '0')
  const point = padded.length - decimals
  let end = padded.length
  while (end > point && padded.charCodeAt(end - 1) === zero) end -= 1
  const whole = padded.slice(0, point)
  return end === point ? whole : whole + mark + padded.slice(point, end)
}

/** Digits that a spreadsheet's number keeps. */
const maxDigits = 15

/** Whether a double, and a spreadsheet, holds it exactly. */
export function isExactNumber(decimal: string): boolean {
  return decimal.replace(/^[0.]*|\./g, '').length <= maxDigits
}
