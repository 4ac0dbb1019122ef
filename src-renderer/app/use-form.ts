import { useState } from 'react'
import type { AppError } from '../../src-preload/domain/app-error.ts'
import type { FormState } from '../ui/form.tsx'
import { toAppError } from './bridge.ts'
import { type FieldErrors, readFieldErrors } from './form-values.ts'

type Refused = { readonly errors: FieldErrors; readonly problem: string | null }

const nothing: Refused = { errors: {}, problem: null }

/**
 * The values of a form while they are entered. It is submitted once at a time; what was refused is shown
 * until the user types on.
 * @param send carries it out; what it returns is wrong at these fields, and what it throws is shown at the
 * fields that the error names, else for the whole form
 */
export function useForm<V extends object>(
  initial: V,
  send: (values: V) => Promise<FieldErrors | void>,
): FormState<V> {
  const [values, setValues] = useState(initial)
  const [{ errors, problem }, setRefused] = useState(nothing)
  const [busy, setBusy] = useState(false)
  const [isChanged, setChanged] = useState(false)

  const change = (part: Partial<V>) => {
    setValues((before) => ({ ...before, ...part }))
    setRefused(nothing)
    setChanged(true)
  }

  async function carryOut(): Promise<void> {
    setBusy(true)
    setRefused(nothing)
    try {
      const refused = await send(values)
      if (refused === undefined) setChanged(false)
      else setRefused({ errors: refused, problem: null })
    } catch (error) {
      setRefused(readRefused(toAppError(error), (name) => name in values))
    } finally {
      setBusy(false)
    }
  }

  return {
    values,
    errors,
    problem,
    busy,
    isChanged,
    change,
    submit: () => {
      if (!busy) void carryOut()
    },
    reset: () => {
      setValues(initial)
      setRefused(nothing)
      setChanged(false)
    },
    field: (name) => ({
      value: values[name],
      onChange: (value) => change({ [name]: value } as unknown as Partial<V>),
      error: errors[name],
    }),
  }
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
