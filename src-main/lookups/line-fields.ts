import Papa from 'papaparse'

export type LineFields = {
  readonly fields: readonly string[]
  /** False where only spaces part them: then a field's place means nothing. */
  readonly isTable: boolean
}

const delimiters = ['\t', ';', ',']
const quoted = /(^|[\t;,]) *"(?:[^"]|"")*"/g
const openQuote = /(?:^|[\t;,]) *"/

/** Splits a line; null when a quoted field goes on behind its end. */
export function splitLine(line: string): LineFields | null {
  const isQuoted = line.includes('"')
  const plain = isQuoted ? line.replace(quoted, '$1') : line
  if (isQuoted && openQuote.test(plain)) return null
  const delimiter = delimiters.find((one) => plain.includes(one))
  if (delimiter === undefined && !isQuoted) return splitPlainly(line)
  if (!isQuoted) return { fields: line.split(delimiter ?? ','), isTable: true }
  const { data } = Papa.parse<string[]>(line, { delimiter: delimiter ?? ',', newline: '\n' })
  return { fields: data.flat(), isTable: delimiter !== undefined }
}

/** As if a quote meant nothing. */
export function splitPlainly(line: string): LineFields {
  const delimiter = delimiters.find((one) => line.includes(one))
  const fields = delimiter === undefined ? line.trim().split(/\s+/) : line.split(delimiter)
  return { fields, isTable: delimiter !== undefined }
}
