import { unguardCell } from '../exports/formula-safe.ts'
import { pointsToAddress, unwrapAddress } from '../ton/pasted-address.ts'
import Papa from 'papaparse'

export type LineFields = {
  readonly fields: readonly string[]
  /** False if only spaces separate the fields, so that their positions mean nothing. */
  readonly isTable: boolean
}

const delimiters = ['\t', ';', ',']
const quoted = /(^|[\t;,]) *"(?:[^"]|"")*"/g
const openQuote = /(?:^|[\t;,]) *"/

/**
 * @param separator the delimiter that the file itself states
 * @returns null if a quoted field continues on the next line
 */
export function splitLine(line: string, separator: string | null = null): LineFields | null {
  if (separator !== null) {
    const { data, errors } = Papa.parse<string[]>(line, { delimiter: separator, newline: '\n' })
    const isOpen = errors.some(({ code }) => code === 'MissingQuotes')
    return isOpen ? null : { fields: data.flat(), isTable: true }
  }
  const isQuoted = line.includes('"')
  const plain = isQuoted ? line.replace(quoted, '$1') : line
  if (isQuoted && openQuote.test(plain)) return null
  const delimiter = delimiters.find((one) => plain.includes(one))
  if (delimiter === undefined && !isQuoted) return splitUnquoted(line)
  if (!isQuoted) return { fields: line.split(delimiter ?? ','), isTable: true }
  const { data } = Papa.parse<string[]>(line, { delimiter: delimiter ?? ',', newline: '\n' })
  return { fields: data.flat(), isTable: delimiter !== undefined }
}

/** Splits a line and treats quotes as ordinary characters. */
export function splitUnquoted(line: string, separator: string | null = null): LineFields {
  const delimiter = separator ?? delimiters.find((one) => line.includes(one))
  const fields = delimiter === undefined ? line.trim().split(/\s+/) : line.split(delimiter)
  return { fields, isTable: delimiter !== undefined }
}

export type Candidate = {
  readonly text: string
  readonly reason?: string
  readonly others?: readonly string[]
}

/** Longer cells of other columns are cut at this length, and further columns are dropped. */
const longestOther = 200
const maxOthers = 50

const headings =
  /(?:^|[^a-z])(?:address(?:es)?|addr|accounts?|wallets?|account[_ ]?id|owner|holder)(?:$|[^a-z])/i
/** Such a word is the heading of a list, even if it is also the label of an account. */
export function isHeadingWord(text: string): boolean {
  return /^(?:address(?:es)?|addr|accounts?|wallets?|account[_ ]?id|owner|holder)$/i.test(
    text.trim(),
  )
}

const blank = { text: '', reason: 'This line has no address.' }

/**
 * Finds the addresses of each line: the whole line if every field looks like an address, otherwise
 * one column, which is named by a header or contains the first address. Each non-empty line yields
 * a candidate or is reported as the header.
 */
export function createAddressColumn(isName: (text: string) => boolean = () => false) {
  const points = (text: string) => pointsToAddress(text) || isName(text)
  const remarks: string[] = []
  const otherNames: string[] = []
  let isFirst = true
  let header: readonly string[] | null = null
  let named = -1
  let column: number | null = null
  let wordsTold = false

  function readHeader(number: number, { fields, isTable }: LineFields): boolean {
    const heading = fields.findIndex((field) => headings.test(field))
    const isHeader = heading !== -1 || (isTable && fields.every(isHeading))
    if (!isHeader) return false
    header = fields
    named = heading
    const shown = fields.join(', ').slice(0, 80)
    remarks.push(`Line ${number} is the header: ${shown}.`)
    return true
  }

  function choose(fields: readonly string[], first: number): number {
    const chosen = points(fields[named] ?? '') ? named : first
    column = chosen
    if (fields.length > 1) {
      const name = header?.[chosen]
      const called = name === undefined ? '' : ` (“${name.slice(0, 40)}”)`
      remarks.push(
        `Column ${chosen + 1}${called} contains the addresses. The results keep the other columns.`,
      )
    }
    return chosen
  }

  function othersOf(chosen: number, fields: readonly string[]): string[] {
    const columns = Math.max(fields.length, header?.length ?? 0)
    for (let at = otherNames.length; at < Math.min(columns - 1, maxOthers); at += 1) {
      const place = at < chosen ? at : at + 1
      otherNames.push(header?.[place]?.slice(0, longestOther) || `column_${place + 1}`)
    }
    // A slice would keep the whole piece of the file in memory, so fields are copied.
    return fields
      .filter((_, at) => at !== chosen)
      .slice(0, maxOthers)
      .map((field) => Buffer.from(field.slice(0, longestOther)).toString())
  }

  function ofColumn(chosen: number, fields: readonly string[], whole: string): Candidate[] {
    const field = fields[chosen] ?? ''
    const others = othersOf(chosen, fields)
    if (field !== '') return [{ text: field, others }]
    return [{ text: whole, reason: `The address column ${chosen + 1} is empty.`, others }]
  }

  return {
    remarks,
    otherNames,
    take(
      { text, number }: { readonly text: string; readonly number: number },
      split: LineFields,
    ): Candidate[] {
      const fields = split.fields.map((field) => unguardCell(unwrapAddress(field)))
      const content = fields
        .filter((field) => field !== '')
        .flatMap((field) => parts(field, points))
      const likely = content.filter(points)
      const wasFirst = isFirst
      isFirst = false
      if (wasFirst && likely.length === 0 && readHeader(number, { ...split, fields })) return []
      if (column !== null && (header !== null || likely.length < content.length)) {
        if (split.isTable || column === 0) return ofColumn(column, fields, text)
      }
      if (content.length === 0) return [{ ...blank, text }]
      if (likely.length === 0) {
        return [content.length === 1 ? { text: content[0] ?? '' } : { ...blank, text }]
      }
      const isList = likely.length === content.length
      const first = fields.findIndex(points)
      if (split.isTable && first !== -1 && (header !== null || !isList)) {
        return ofColumn(choose(fields, first), fields, text)
      }
      if (!isList && !wordsTold) {
        wordsTold = true
        remarks.push(`Text next to addresses is ignored (first on line ${number}).`)
      }
      return likely.map((each) => ({ text: each }))
    },
  }
}

/** A heading may be in any language, but is neither a number nor a long word. */
const isHeading = (field: string): boolean => field.length <= 40 && !/^[\d.]*$/.test(field)

function parts(field: string, points: (text: string) => boolean): string[] {
  if (!/[\s,;]/.test(field)) return [field]
  const words = field.split(/[\s,;]+/).map(unwrapAddress)
  const content = words.filter((word) => word !== '')
  return content.every(points) ? content : [field]
}
