import { useState } from 'react'
import { type AppError, bridgeCodes } from '../../src-preload/domain/app-error.ts'
import type { FormState } from '../ui/form.tsx'
import { toAppError } from './bridge.ts'

type Refused = { readonly errors: FieldErrors; readonly problem: string | null }

const nothing: Refused = { errors: {}, problem: null }

/**
 * Manages the values of a form while the user enters them; a field that the user has not changed shows its
 * present initial value. The form is submitted once at a time. Errors are shown until the next change.
 * @param send submits the form; returns errors by field. An error that it throws is shown at the fields
 * that the error names, else for the whole form
 */
export function useForm<V extends object>(
  initial: V,
  send: (values: V) => Promise<FieldErrors | undefined> | Promise<void>,
  {
    clears = false,
  }: {
    /** True if all fields show their initial values again after the form was submitted. */
    clears?: boolean
  } = {},
): FormState<V> {
  const [draft, setDraft] = useState<Partial<V>>({})
  const values: V = { ...initial, ...draft }
  const [{ errors, problem }, setRefused] = useState(nothing)
  const [busy, setBusy] = useState(false)
  const [isChanged, setChanged] = useState(false)

  const change = (part: Partial<V>) => {
    setDraft((before) => ({ ...before, ...part }))
    setRefused(nothing)
    setChanged(true)
  }

  async function carryOut(): Promise<void> {
    setBusy(true)
    setRefused(nothing)
    try {
      const refused = await send(values)
      if (refused !== undefined) setRefused({ errors: refused, problem: null })
      else {
        setChanged(false)
        if (clears) setDraft({})
      }
    } catch (error) {
      setRefused(fieldErrorsOf(toAppError(error), (name) => Object.hasOwn(values, name)))
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
      setDraft({})
      setRefused(nothing)
      setChanged(false)
    },
    field: (name) => ({
      value: values[name],
      onChange: (value) => change({ [name]: value } as unknown as Partial<V>),
      error: errorAt(errors, name),
    }),
  }
}

/** Stores why the last action of a part of a page failed; null after the next action has begun. */
export function useFormProblem() {
  const [problem, setProblem] = useState<string | null>(null)
  const run = async (act: () => Promise<unknown>): Promise<void> => {
    setProblem(null)
    try {
      await act()
    } catch (error) {
      setProblem(toAppError(error).message)
    }
  }
  return { problem, setProblem, run }
}

/** Returns the error of a field or, if the field is a list, of one of its items. */
function errorAt(errors: FieldErrors, name: string): string | undefined {
  const item = Object.keys(errors).find((path) => path.startsWith(`${name}.`))
  return errors[name] ?? (item === undefined ? undefined : errors[item])
}

/**
 * Assigns the problems of an error to the fields that it names. An error at a field that the form
 * does not show is shown for the whole form. A query that cannot be parsed belongs to `filter`.
 */
export function fieldErrorsOf(error: AppError, hasField: (name: string) => boolean): Refused {
  const errors =
    error.code === 'QUERY_INVALID' ? { filter: error.message } : (readFieldErrors(error) ?? {})
  const named = Object.entries(errors)
  const unseen = named.find(([path]) => !hasField(path) && !hasField(path.split('.', 1)[0] ?? ''))
  return { errors, problem: named.length === 0 ? error.message : (unseen?.[1] ?? null) }
}

/** Maps the path of a field in the input, such as `receiver.port`, to its problem. */
export type FieldErrors = Readonly<Record<string, string>>

/** The result of parsing a form's values: the parsed value, or the errors by field. */
export type Parsed<T> =
  | { readonly input: T; readonly errors: null }
  | { readonly input: null; readonly errors: FieldErrors }

/** Returns the fields that INVALID_INPUT names; null for other errors. */
export function readFieldErrors(error: AppError): FieldErrors | null {
  if (error.code !== bridgeCodes.invalidInput || !Array.isArray(error.data)) return null
  const found: Record<string, string> = {}
  for (const issue of error.data as unknown[]) {
    if (typeof issue !== 'object' || issue === null) continue
    const { path, message } = issue as { path?: unknown; message?: unknown }
    if (typeof path === 'string' && typeof message === 'string') found[path] ??= message
  }
  return Object.keys(found).length === 0 ? null : found
}

/** Parses a whole number, in which spaces between groups are allowed; null for other text. */
export function parseInteger(text: string): number | null {
  const digits = text.replaceAll(/[\s\u202f,_]/g, '')
  return /^\d{1,15}$/.test(digits) ? Number(digits) : null
}

const byteSizes = { KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 } as const

/** Formats bytes in the largest unit with at most three decimals, such as `1.5 GiB`. */
export function writeBytes(bytes: number): string {
  for (const [unit, size] of Object.entries(byteSizes).toReversed()) {
    const amount = bytes / size
    if (amount >= 1 && Number.isInteger(amount * 1000)) return `${amount} ${unit}`
  }
  return `${bytes / byteSizes.KiB} KiB`
}

/** Parses a size such as `1.5 GiB` or `500mib` to whole bytes; null if its number or unit is missing. */
export function readBytes(text: string): number | null {
  const [, amount = '', typedUnit = ''] =
    /^(\d{1,12}(?:[.,]\d{1,12})?)\s*([kmg]i?b)$/i.exec(text.trim()) ?? []
  const unit = Object.entries(byteSizes).find(([name]) => name[0] === typedUnit[0]?.toUpperCase())
  return unit === undefined ? null : Math.round(Number(amount.replace(',', '.')) * unit[1])
}
