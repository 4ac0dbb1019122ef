import { hash } from 'node:crypto'
import { bodyText, fields, headerLines, meaningLine, subjectTarget } from './fields.ts'
import type { Field } from './fields.ts'
import type { Subject } from './subject.ts'

/** A value that captures share, by the property it is of. */
export type Facet = { readonly key: string; readonly value: string }

/** Learnt later and kept apart from the words, so that learning it rewrites none. */
export const lateFields = [
  'network',
  'meaning',
  'asset',
  'direction',
  'opcode',
  'exit',
  'success',
] as const
export type LateField = (typeof lateFields)[number]

export function isLateField(name: string): name is LateField {
  return (lateFields as readonly string[]).includes(name)
}

/** Told by tables of their own. */
const marked: readonly string[] = ['pinned', 'forwarded']

/** Which of what may be empty is not. */
export const presenceKey = 'has'

type By<B extends Field['by']> = Extract<Field, { readonly by: B }>
const isBy =
  <B extends Field['by']>(by: B) =>
  (field: Field): field is By<B> =>
    field.by === by

const texts = fields
  .filter(isBy('text'))
  .filter(({ names: [name] }) => name !== 'header' && !isLateField(name) && !marked.includes(name))
const keyed = fields.filter(isBy('key'))

/** The values by which the index finds a capture. @param words of the same */
export function facetsOf(subject: Subject, words: SubjectWords): Facet[] {
  const facets: Facet[] = []
  for (const field of texts) {
    const key = field.names[0]
    for (const value of field.values(subject, '')) facets.push({ key, value })
  }
  for (const [name, value] of subject.headers) {
    facets.push({ key: headerKey(name), value })
  }
  for (const field of keyed) {
    if (field.values(subject).length > 0) facets.push({ key: presenceKey, value: field.names[0] })
  }
  for (const value of ['body', 'comment', 'note'] as const) {
    if (words[value] !== '') facets.push({ key: presenceKey, value })
  }
  return facets
}

export function headerKey(name: string): string {
  return `header.${name.toLowerCase()}`
}

/*
 * Facets stand in a column of the full text index as tokens of letters and digits, which its tokenizer
 * leaves whole: `t` and the number of a shared value; a letter for each property whose values are keys,
 * and the key.
 */

/** Which every capture has. */
export const everyToken = 'every'

export function termToken(id: number): string {
  return `t${id.toString(36)}`
}

/** Tokens of values that nearly each capture has for itself. */
export function keyTokensOf(subject: Subject): string[] {
  return keyed.flatMap((field) =>
    field.values(subject).map((value) => keyToken(field.names[0], value)),
  )
}

const letters: Readonly<Record<string, string>> = {
  account: 'a',
  hash: 'h',
  sender: 's',
  recipient: 'r',
}

/** Null where its beginning is not told by the token's. */
export function keyTokenBeginning(field: string, beginning: string): string | null {
  const letter = letters[field]
  if (letter === undefined) return null
  if (field === 'hash') return beginning === '' ? null : letter + beginning
  const address = /^(-1|0):([0-9a-f]*)$/.exec(beginning)
  return address === null ? null : `${letter}${address[1] === '0' ? '0' : 'm'}${address[2] ?? ''}`
}

/** Addresses and hashes as they are, other keys as a digest. */
export function keyToken(field: string, value: string): string {
  const readable = keyTokenBeginning(field, value.toLowerCase())
  return readable ?? `i${digest(`${field}:${value.toLowerCase()}`).toString('hex', 0, 12)}`
}

export type SubjectWords = ReturnType<typeof wordsOfSubject>

/** The words by which it is found. */
export function wordsOfSubject(subject: Subject) {
  return {
    target: subjectTarget(subject),
    headers: headerLines(subject),
    body: bodyText(subject),
    comment: subject.later?.meaning.comment ?? '',
    note: subject.later?.note ?? '',
    meaning: meaningLine(subject),
  }
}

/** Changes with what words and facets hold of what can still change. */
export function digestOfTold({ later, status }: Subject): bigint {
  const { sender, recipient, comment, opcode, invoice, amount } = later?.meaning ?? {}
  const parts = [sender, recipient, comment, opcode, invoice, amount?.asset.symbol, later?.note]
  const told = JSON.stringify([status, ...parts])
  return digest(told).readBigInt64LE(0)
}

function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer')
}
