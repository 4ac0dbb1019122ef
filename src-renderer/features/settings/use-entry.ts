import { useState } from 'react'
import { toAppError } from '../../app/bridge.ts'
import { type FieldErrors, readFieldErrors } from '../../app/form-values.ts'

export type Entry = {
  readonly busy: boolean
  readonly errors: FieldErrors
  /** What went wrong that no field of the form shows. */
  readonly problem: string | null
  submit(): void
}

/** Sends a form whose `fields`, by their paths in the input, show what is wrong with them. */
export function useEntry(fields: readonly string[], send: () => Promise<void>): Entry {
  const [busy, setBusy] = useState(false)
  const [errors, setErrors] = useState<FieldErrors>({})
  const [problem, setProblem] = useState<string | null>(null)

  const submit = async () => {
    setBusy(true)
    setErrors({})
    setProblem(null)
    try {
      await send()
    } catch (error) {
      const known = toAppError(error)
      const found = readFieldErrors(known) ?? {}
      setErrors(found)
      const paths = Object.keys(found)
      const isShown = paths.length > 0 && paths.every((path) => fields.includes(path))
      if (!isShown) setProblem(known.message)
    } finally {
      setBusy(false)
    }
  }

  return {
    busy,
    errors,
    problem,
    submit() {
      if (!busy) void submit()
    },
  }
}
