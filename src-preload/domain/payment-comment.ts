/**
 * Finds the invoice that the comment of a transfer names. The gateway compares whole comments, but
 * payers write words around the id, or only the number of their order.
 */
import { lookupTable } from './lookup-table.ts'

/**
 * `equal`: the comment equals that of the invoice's link. `id`: it contains the invoice's id as a whole word.
 * The others are guesses: `reference` names the order reference or the description, `similar` resembles the id.
 */
export type CommentGrade = 'equal' | 'id' | 'reference' | 'similar'

/** The grades from weak to strong; the index is the weight. */
export const commentGrades = ['similar', 'reference', 'id', 'equal'] as const

type NamedInvoice = {
  readonly id: string
  readonly comment: string | null
  readonly description: string
  readonly orderReference: string
}

export type PaymentComment = ReturnType<typeof readPaymentComment>

/**
 * Normalizes a comment for comparison: without surrounding spaces, in lower case; null for an empty
 * comment.
 */
export function commentKey(comment: string | null): string | null {
  const folded = comment?.trim().toLowerCase() ?? ''
  return folded === '' ? null : folded
}

/** Formats a comment for use within a sentence: on one line, with at most 60 characters. */
export function shortComment(text: string | null): string {
  const line = (text ?? '').replace(/\s+/g, ' ').trim()
  return line.length > 60 ? `${line.slice(0, 60)}…` : line
}

/**
 * Normalizes an id or order reference for look-ups: without case and marks; `store/invoice-rows.ts`
 * does the same in SQL.
 */
export const foldId = (id: string): string => id.toLowerCase().replaceAll(/[-_]/g, '')

/** True for ids that do not occur in texts by chance: long ones, or those with a digit. */
const isTelling = (id: string) => id.length >= 8 || (id.length >= 4 && /\d/.test(id))
/** A shorter part of an id would match many ids. */
const minPart = 6
/** The limit exists because anyone can send a long comment. */
const maxText = 1000
const maxWords = 60
/** Maximum number of words in which one id or reference may be written. */
const maxRun = 6

const uuid = String.raw`[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}`
/**
 * A number with decimals, a date and a number with parts such as `2024/17` count as one word, so
 * 4711 is not found in 4711-2.
 */
const number = String.raw`\d+(?:[-./,:]\d+)+`
/** Scripts without spaces between words, in which an id may directly follow a word. */
const unspaced = String.raw`[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Thai}]`
const letter = String.raw`(?!${unspaced})[\p{L}\p{N}]`
const word = new RegExp(
  `(?<!${letter})(?:${uuid}|${number})(?!${letter})|(?:${letter})+|${unspaced}+`,
  'gu',
)

/** Words before a number that only describe what the number is. */
const labels =
  'order|orders|no|nr|num|number|nummer|numero|id|invoice|inv|bill|payment|pay|paid|for|ref|reference|memo|comment|the|my|is|po|so|ord|bestellung|bestellnummer|rechnung|rechnungsnummer|auftrag|commande|facture|pedido|factura|заказ|заказа|номер|счет|счёт|счета|оплата|за'
const isLabel = new RegExp(`^(?:${labels})$`, 'u')
const labelBefore = new RegExp(String.raw`^(?:${labels})(?=\d)`, 'u')
const isYear = (text: string) => /^(?:19|20)\d\d$/.test(text)

/**
 * Letters that payers mistake for digits when they type an id, and Cyrillic letters that look like
 * Latin ones.
 */
const alike: Readonly<Record<string, string>> = lookupTable({
  o: '0',
  о: '0',
  l: '1',
  i: '1',
  і: '1',
  а: 'a',
  в: 'b',
  с: 'c',
  е: 'e',
  р: 'p',
  х: 'x',
})
const foldAlike = (text: string) => text.replaceAll(/./gu, (letter) => alike[letter] ?? letter)

/** @param isWritten true to keep the slashes of numbers, as the database stores order references with them */
function wordsOfComment(text: string, isWritten = false): string[] {
  const clean = decode(text.slice(0, maxText))
    .replaceAll('№', '#')
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[\p{Cf}\p{Mn}]/gu, '')
  const found = clean.replaceAll('_', ' ').match(word) ?? []
  // A decimal or a date keeps its marks, so that 47.11 is not the number 4711.
  return found
    .slice(0, maxWords)
    .map((each) => (/[.,:]/.test(each) ? each : each.replaceAll(isWritten ? '-' : /[-/]/g, '')))
}

/** A comment may be copied from a URL. */
function decode(text: string): string {
  if (!/%[0-9a-f]{2}/i.test(text)) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Joins adjacent words without spaces, because payers split and group ids. */
function runsOf(words: readonly string[]): Set<string> {
  const runs = new Set<string>()
  for (const start of words.keys()) {
    let run = ''
    for (const each of words.slice(start, start + maxRun)) runs.add((run += each))
  }
  return runs
}

/**
 * Returns the words that distinguish one order from others, without labels, even if a label is
 * joined to a number.
 */
const coreOf = (words: readonly string[]): string[] =>
  words.flatMap((each) => (isLabel.test(each) ? [] : each.replace(labelBefore, '')))

export function readPaymentComment(text: string | null) {
  const key = commentKey(text)
  const words = wordsOfComment(text ?? '')
  const runs = runsOf(words)
  const core = runsOf(coreOf(words))
  const parts = words.filter((each) => each.length >= minPart && /\d/.test(each))

  const folded = new Set([...runs].map(foldAlike))

  function isSimilar(id: string): boolean {
    const part = Math.max(minPart, id.length >= 16 ? 8 : 0)
    const isPart = (each: string) =>
      each.length >= part && (id.startsWith(each) || id.endsWith(each))
    return (id.length >= minPart && folded.has(foldAlike(id))) || parts.some(isPart)
  }

  /**
   * @param isReference true if every number counts, as in an order reference; in a description only
   * a number after a label counts
   */
  function names(reference: string, isReference: boolean): boolean {
    const written = wordsOfComment(reference)
    const own = coreOf(written)
    const whole = own.join('')
    const isTellingWhole = /\d/.test(whole)
      ? whole.length >= 3 && !isYear(whole)
      : own.length > 1 && whole.length >= 8
    if (isTellingWhole && core.has(whole)) return true
    const isNumbered = written.length > 1 && /\d/.test(whole)
    if (isNumbered && runs.has(written.join(''))) return true
    return written.some((each, index) => {
      const digits = each.replace(labelBefore, '')
      const isMarked = digits !== each || isLabel.test(written[index - 1] ?? '')
      const isNumber = /\d/.test(digits) && digits.length >= (/\D/.test(digits) ? 5 : 4)
      return isNumber && !isYear(digits) && (isReference || isMarked) && core.has(digits)
    })
  }

  return {
    /** Folded ids that the comment may contain completely or in part. */
    ids: [...new Set([...runs, ...folded])].filter(isTelling),
    parts,
    /** Folded order references that the comment may name. */
    references: [
      ...new Set(
        [...runs, ...core, ...runsOf(wordsOfComment(text ?? '', true))].flatMap(withLabels),
      ),
    ],
    grade({ id, comment, description, orderReference }: NamedInvoice): CommentGrade | null {
      if (key === null) return null
      if (key === commentKey(comment)) return 'equal'
      const wanted = [id, comment ?? ''].map((each) => foldId(wordsOfComment(each).join('')))
      if (wanted.some((each) => isTelling(each) && runs.has(each))) return 'id'
      if (names(orderReference, true) || names(description, false)) return 'reference'
      return wanted.some((each) => isTelling(each) && isSimilar(each)) ? 'similar' : null
    },
  }
}

function withLabels(run: string): string[] {
  const before = /^\d{3,}$/.test(run) ? ['order', 'orderno', 'no', 'invoice', 'ord', 'ref'] : []
  return [run, ...before.map((each) => each + run)]
}

/** True if a comment contains this id as a whole word, or a transaction hash that begins with it. */
export function namesId(comment: string | null, id: string): boolean {
  const folded = foldId(id)
  if (folded === '') return false
  const words = wordsOfComment(comment ?? '')
  if (words.some((each) => each.length === 64 && each.startsWith(folded))) return true
  return runsOf(words).has(folded)
}
