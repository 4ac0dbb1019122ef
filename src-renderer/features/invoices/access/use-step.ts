import { useState } from 'react'
import type { InvoiceAccess } from '../../../../src-preload/contract/invoice-access.ts'
import { toAppError } from '../../../app/bridge.ts'
import { type FieldErrors, readFieldErrors } from '../../../app/form-values.ts'
import { announce } from '../../../ui/live-region.tsx'
import { invoiceAccessOf } from './access.ts'

/** Does something of a step and shows what came of it where it was asked for. */
export function useStep() {
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const [errors, setErrors] = useState<FieldErrors>({})
  return {
    busy,
    problem,
    errors,
    /** Resolves to whether it worked; `field` takes a refusal that names none. */
    async run(
      ask: () => Promise<InvoiceAccess>,
      { said, field }: { said: string; field?: string },
    ): Promise<boolean> {
      setBusy(true)
      setProblem(null)
      setErrors({})
      try {
        const access = await ask()
        invoiceAccessOf(access.network).set(access)
        announce(said)
        return true
      } catch (error) {
        const known = toAppError(error)
        const fields = readFieldErrors(known)
        if (fields !== null) setErrors(fields)
        else if (field !== undefined) setErrors({ [field]: known.message })
        else setProblem(known.message)
        return false
      } finally {
        setBusy(false)
      }
    },
  }
}
