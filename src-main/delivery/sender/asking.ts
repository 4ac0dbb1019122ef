import { AppError } from '../../../src-preload/domain/app-error.ts'
import type { SendAsks, SendReport, SendRequest } from '../../threads/send-messages.ts'

/** What the thread asks of the main thread. */
type Asking = {
  /** @throws AppError as the main thread has it */
  ask<N extends keyof SendAsks>(
    name: N,
    question: SendAsks[N]['question'],
  ): Promise<SendAsks[N]['answer']>
  told(report: Extract<SendRequest, { type: 'told' }>): void
}

type Waiting = { readonly done: (answer: unknown) => void; readonly fail: (error: Error) => void }

export function createAsking(report: (message: SendReport) => void): Asking {
  const waiting = new Map<number, Waiting>()
  let last = 0
  return {
    ask(name, question) {
      const ask = (last += 1)
      return new Promise((done, fail) => {
        // Each name is answered with its own type; the channel does not know it.
        waiting.set(ask, { done: done as (answer: unknown) => void, fail })
        report({ type: 'ask', ask, name, question } as SendReport)
      })
    },
    told({ ask, answer, error }) {
      const one = waiting.get(ask)
      waiting.delete(ask)
      if (error === null) one?.done(answer)
      else one?.fail(AppError.fromBody(error))
    },
  }
}
