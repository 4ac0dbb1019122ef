import { useState } from 'react'
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
      setRefused(readRefused(error))
    } finally {
      setBusy(false)
    }
  }

  return { draft, ...refused, busy, change, submit }
}

/** What was thrown, at the fields it names; a query that cannot be read is the `filter`. */
function readRefused(caught: unknown): Refused {
  const error = toAppError(caught)
  const errors = error.code === 'QUERY_INVALID' ? { filter: error.message } : readFieldErrors(error)
  return errors === null ? { errors: {}, problem: error.message } : { errors, problem: null }
}
