import { anywhere, fieldNamed } from './fields.ts'
import type { Term } from './query.ts'

/** Terms on their way to another thread: fields by their names. */
export type SentTerm = Omit<Term, 'field'> & { readonly field: string }

export function sendTerms(terms: readonly Term[]): SentTerm[] {
  return terms.map((term) => ({ ...term, field: term.field.names[0] }))
}

export function receiveTerms(terms: readonly SentTerm[]): Term[] {
  return terms.map((term) => ({ ...term, field: fieldNamed(term.field) ?? anywhere }))
}
