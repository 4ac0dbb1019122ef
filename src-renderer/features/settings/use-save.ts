import { useState } from 'react'
import type { SettingsPatch } from '../../../src-preload/contract/settings.ts'
import { toAppError } from '../../app/bridge.ts'
import { attempt } from '../../app/attempt.ts'
import { showToast } from '../../ui/toast.tsx'
import { changeSettings } from '../../app/app-settings.ts'
import { type FieldErrors, readFieldErrors } from '../../app/form-values.ts'

export type Save = {
  readonly busy: boolean
  readonly errors: FieldErrors
  /** What went wrong that is not about one field. */
  readonly problem: string | null
  /** Says what is wrong before anything is sent. */
  refuse(errors: FieldErrors): void
  /** Saves and offers the way back. Resolves to whether it was saved. */
  save(name: string, patch: SettingsPatch, before: SettingsPatch): Promise<boolean>
}

/** One section's way to the main process, with what came back. */
export function useSave(): Save {
  const [busy, setBusy] = useState(false)
  const [errors, setErrors] = useState<FieldErrors>({})
  const [problem, setProblem] = useState<string | null>(null)

  return {
    busy,
    errors,
    problem,
    refuse(found) {
      setErrors(found)
      setProblem(null)
    },
    async save(name, patch, before) {
      setBusy(true)
      setErrors({})
      setProblem(null)
      try {
        await changeSettings(patch)
      } catch (error) {
        const known = toAppError(error)
        const fields = readFieldErrors(known)
        if (fields === null) setProblem(known.message)
        else setErrors(fields)
        return false
      } finally {
        setBusy(false)
      }
      showToast({
        id: `saved-${name}`,
        title: `${name} saved`,
        action: {
          label: 'Undo',
          run: () => void attempt('Could not undo', () => changeSettings(before)),
        },
      })
      return true
    },
  }
}
