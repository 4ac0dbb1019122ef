import { useState } from 'react'
import type { SandboxOutcome } from '../../../src-preload/contract/sandbox.ts'
import { toAppError } from '../../app/bridge.ts'
import { type FieldErrors, readFieldErrors } from '../../app/form-values.ts'
import { announce } from '../../ui/live-region.tsx'
import { refresh } from './sandbox-data.ts'

/** What came of it, for the place where it was asked for. */
type Done = {
  readonly text: string
  readonly outcome?: SandboxOutcome | undefined
}

export type Action = {
  readonly busy: boolean
  readonly errors: FieldErrors
  /** What went wrong that is not about one field. */
  readonly problem: string | null
  readonly done: Done | null
  /** Says what is wrong before anything is asked. */
  refuse(errors: FieldErrors): void
  /** Runs it, tells how it went, and has the page look again. Resolves to whether it worked. */
  run(work: () => Promise<Done | string>): Promise<boolean>
}

type State = Pick<Action, 'busy' | 'errors' | 'problem' | 'done'>

const idle: State = { busy: false, errors: {}, problem: null, done: null }

export function useAction(): Action {
  const [state, setState] = useState<State>(idle)
  return {
    ...state,
    refuse: (errors) => setState({ ...idle, errors }),
    async run(work) {
      setState({ ...idle, busy: true })
      try {
        const result = await work()
        const done = typeof result === 'string' ? { text: result } : result
        setState({ ...idle, done })
        announce(done.text)
        return true
      } catch (error) {
        const known = toAppError(error)
        const errors = readFieldErrors(known)
        setState({
          ...idle,
          ...(errors === null ? { problem: known.message } : { errors }),
        })
        return false
      } finally {
        void refresh()
      }
    },
  }
}
