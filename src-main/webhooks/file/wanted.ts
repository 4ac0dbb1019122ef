/** A file of subscriptions as it was understood: what is wanted, and what of it cannot be. */
import type { ChangeItem, Difference } from '../../../src-preload/contract/subscription.ts'

/** Of the form of YAML files. */
export const yamlVersion = '1'

/** In this order where a file has no header. */
export const csvColumns = ['endpoint', 'kind', 'value', 'label', 'id'] as const

/** In place of a value: of this kind there are to be none. */
export const csvNone = 'none'

export const maxAccounts = 100_000
export const maxBytes = 20 * 1024 * 1024

export type WantedAccount = {
  /** Raw. */
  readonly address: string
  readonly label: string | null
  readonly line: number
}

export type WantedOpcode = {
  /** 0x and eight hexadecimal digits. */
  readonly opcode: string
  readonly line: number
}

export type WantedFlag = { readonly on: boolean; readonly line: number }

/** What is in the file and is neither subscribed nor unsubscribed. */
export type Fault = {
  readonly kind: Extract<Difference['kind'], 'wrong-network' | 'duplicate' | 'invalid'>
  readonly what: ChangeItem['what']
  /** As it stands there, at most 200 characters. */
  readonly subject: string
  readonly label: string | null
  readonly line: number
  readonly reason: string
}

/** Each kind is null where the file says nothing of it: then it is left alone. */
export type WantedWebhook = {
  readonly endpoint: string
  /** Where the file names one. */
  readonly id: string | null
  readonly line: number
  readonly newContracts: WantedFlag | null
  readonly mempool: WantedFlag | null
  readonly opcodes: readonly WantedOpcode[] | null
  readonly accounts: readonly WantedAccount[] | null
  readonly faults: readonly Fault[]
  /** Raw addresses in a form of another network: whatever is meant by them, they are not touched. */
  readonly untouchable: readonly string[]
}

export type WantedFile = {
  /** As the file names it; null where it does not. */
  readonly network: string | null
  readonly webhooks: readonly WantedWebhook[]
}

/** The file as a whole cannot be understood. The message is a sentence or two. */
export class FileProblem extends Error {
  /** From 1; null where it is of no line. */
  readonly line: number | null
  readonly column: number | null

  constructor(message: string, line: number | null = null, column: number | null = null) {
    super(message)
    this.line = line
    this.column = column
  }
}
