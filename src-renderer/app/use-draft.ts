import { useState } from 'react'
import type { AppError } from '../../src-preload/domain/app-error.ts'
import { toAppError } from './bridge.ts'
import { readFieldErrors } from './form-values.ts'

/** What is wrong at which field. */
export type DraftErrors = Readonly<Record<string, string | undefined>>

/** Why a form was not carried out: at which fields, or else altogether. */
export type Refused = {
  readonly errors: DraftErrors
  readonly problem: string | null
}

const nothing: Refused = { errors: {}, problem: null }

/**
 * What is being written in a form. It is carried out once at a time; what was refused is said until one
 * writes on.
 */
export function useDraft<D extends object>(given: D) {
  const [draft, setDraft] = useState(given)
  const [refused, setRefused] = useState(nothing)
  const [busy, setBusy] = useState(false)

  function change(part: Partial<D>): void {
    setDraft((before) => ({ ...before, ...part }))
    setRefused(nothing)
  }

  /** @param work answers what is refused, null when it is done; what it throws is refused as well */
  async function submit(work: () => Promise<Refused | null>): Promise<void> {
    if (busy) return
    setBusy(true)
    setRefused(nothing)
    try {
      setRefused((await work()) ?? nothing)
    } catch (error) {
      setRefused(readRefused(toAppError(error), (name) => name in draft))
    } finally {
      setBusy(false)
    }
  }

  return { draft, ...refused, busy, change, submit }
}

/**
 * What an error says is wrong, at the fields it names. Where the form has no such field, nobody would see it
 * there: then it is said of the whole. A query that cannot be read is the `filter`.
 */
export function readRefused(error: AppError, hasField: (name: string) => boolean): Refused {
  const errors =
    error.code === 'QUERY_INVALID' ? { filter: error.message } : (readFieldErrors(error) ?? {})
  const named = Object.entries(errors)
  const unseen = named.find(([path]) => !hasField(path.split('.', 1)[0] ?? ''))
  return { errors, problem: named.length === 0 ? error.message : (unseen?.[1] ?? null) }
}
