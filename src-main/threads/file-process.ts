/** The process that reads files of subscriptions: a large one would hold the receiver for seconds. */
import { setPriority } from 'node:os'
import type { SubscriptionsFormat } from '../../src-preload/contract/subscription.ts'
import { readFile } from '../webhooks/file/read-file.ts'
import {
  type Fault,
  type WantedAccount,
  type WantedWebhook,
  FileProblem,
} from '../webhooks/file/collect.ts'
import { serve } from './rpc.ts'

export type FileQuestion = {
  readonly pieces: readonly Uint8Array[]
  readonly format: SubscriptionsFormat
  readonly testOnly: boolean
}

/** Each webhook of the file in its order, and after it its lists, piece by piece. */
export type FileReports = {
  readonly webhook: (
    webhook: Omit<WantedWebhook, 'accounts' | 'faults' | 'untouchable'> & {
      readonly namesAccounts: boolean
    },
  ) => void
  readonly more: (lists: {
    readonly accounts: readonly WantedAccount[]
    readonly faults: readonly Fault[]
    readonly untouchable: readonly string[]
  }) => void
}

/** Taking in what is posted is the main thread's work: so much of it at a time. */
const accountsAtOnce = 1000

/** Deliveries and the window come first. */
setPriority(0, 10)

const functions = {
  /** @returns the network that the file names, after all that it wants was reported; or what is wrong */
  read({ pieces, format, testOnly }: FileQuestion) {
    try {
      const { network, webhooks } = readFile(pieces, format, testOnly)
      for (const { accounts, faults, untouchable, ...webhook } of webhooks) {
        app.notify('webhook', { ...webhook, namesAccounts: accounts !== null })
        const most = Math.max(accounts?.length ?? 0, faults.length, untouchable.length)
        for (let from = 0; from < most; from += accountsAtOnce) {
          const to = from + accountsAtOnce
          app.notify('more', {
            accounts: accounts?.slice(from, to) ?? [],
            faults: faults.slice(from, to),
            untouchable: untouchable.slice(from, to),
          })
        }
      }
      return { network, problem: null }
    } catch (error) {
      if (!(error instanceof FileProblem)) throw error
      const { message, line, column } = error
      return { network: null, problem: { message, line, column } }
    }
  },
}
export type FileCalls = typeof functions

const app = serve<FileReports>(functions)
