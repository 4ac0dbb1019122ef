/** What an invoice is for, as its owner will see it. Pure. */
import { issueLimits } from '../../../src-preload/domain/invoice-words.ts'

type ReadDescription = {
  readonly text: string
  /** A sentence; null when it can be asked for. */
  readonly problem: string | null
  readonly warning: string | null
}

/** Kept of one that is too long. */
const longestKept = 1000
const direction = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/
/** All but tab and line breaks. */
const control = /[\u0001-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/

export function readDescription(given: string): ReadDescription {
  // Half a surrogate cannot be sent: the other side would keep something else.
  const text = given.toWellFormed()
  // As the service counts: code points. Not all of a megabyte is taken apart for it.
  const max = issueLimits.descriptionCharacters
  const isLong = text.length > 2 * max || Array.from(text).length > max
  const problem = isLong
    ? `The description has ${count(text)} characters; ${max} are allowed.`
    : text.includes('\0')
      ? 'The description holds a NUL character, which gateways do not keep.'
      : null
  const warning = direction.test(text)
    ? 'The description holds invisible marks that turn the direction of text.'
    : control.test(text)
      ? 'The description holds invisible control characters.'
      : text.includes('\ufffd')
        ? 'Some characters of the description could not be read.'
        : null
  return { text: text.slice(0, longestKept).toWellFormed(), problem, warning }
}

function count(text: string): string {
  return Array.from(text).length.toLocaleString('en')
}
