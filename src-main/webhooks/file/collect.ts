import { badOpcode, formatOpcode, parseOpcode } from '../../../src-preload/domain/opcode.ts'
import { endpointProblem } from '../../../src-preload/contract/webhook.ts'
import { checkAddress } from '../../ton/pasted-address.ts'
import type { Difference } from '../../../src-preload/contract/subscription.ts'
import { AppError, subscriptionCodes } from '../../../src-preload/domain/app-error.ts'

export const yamlVersion = '1'

/** The column order of a file without a header. */
export const csvColumns = ['endpoint', 'kind', 'value', 'label', 'id'] as const

/** This value states that the webhook has no subscriptions of its kind. */
export const csvNone = 'none'

const maxAccounts = 100_000
export const maxBytes = 20 * 1024 * 1024

export type WantedFlag = { readonly on: boolean; readonly line: number }

/** `subject` is the entry's text, at most 200 characters. */
type Fault = Pick<Difference, 'what' | 'subject' | 'label'> & {
  readonly kind: 'wrong-network' | 'duplicate' | 'invalid'
  readonly line: number
  readonly reason: string
  /** The raw form of an address for another network; its subscription stays unchanged. */
  readonly address: string | null
}

/** A kind that the file does not mention is null, and its subscriptions stay unchanged. */
export type WantedWebhook = {
  readonly endpoint: string
  readonly id: string | null
  readonly line: number
  newContracts: WantedFlag | null
  mempool: WantedFlag | null
  /** `0x` and eight hexadecimal digits. */
  opcodes: { readonly opcode: string; readonly line: number }[] | null
  /** Raw addresses with their lines. */
  accounts:
    | { readonly address: string; readonly label: string | null; readonly line: number }[]
    | null
  readonly faults: Fault[]
}

export type WantedFile = {
  readonly network: string | null
  readonly webhooks: readonly WantedWebhook[]
}

type Place = { readonly line: number; readonly column?: number }

/** The error of a file that cannot be read at all. @param message one or two sentences */
export function fileProblem(message: string, place?: Place): AppError {
  const where = place?.column === undefined ? '' : `, column ${place.column}`
  const text = place === undefined ? message : `Line ${place.line}${where}: ${message}`
  return new AppError(subscriptionCodes.fileInvalid, text, { data: { ...place } })
}

const longestShown = 200
const longestLabel = 100

export type WebhookCollector = ReturnType<typeof collectWebhook>

function collectWebhook(
  webhook: WantedWebhook,
  testOnly: boolean,
  countAccount: (place: Place) => void,
) {
  const seenAccounts = new Map<string, number>()
  const seenOpcodes = new Map<string, number>()

  function addFault(
    fault: Pick<Fault, 'kind' | 'what' | 'reason'> & Partial<Fault>,
    text: string,
    { line }: Place,
  ): void {
    const subject = text.slice(0, longestShown)
    webhook.faults.push({ label: null, address: null, ...fault, subject, line })
  }

  return {
    mention: (kind: 'accounts' | 'opcodes') => void (webhook[kind] ??= []),
    account(text: string, label: string | null, place: Place): void {
      countAccount(place)
      webhook.accounts ??= []
      const { line } = place
      const { status, address, reason } = checkAddress(text, line, { testOnly, seen: seenAccounts })
      const what = 'account'
      if (status !== 'valid' || address === null) {
        const kind = status === 'valid' ? 'invalid' : status
        const untouched = status === 'wrong-network' ? address : null
        addFault({ kind, what, label, reason: reason ?? '', address: untouched }, text, place)
      } else if (label !== null && label.length > longestLabel) {
        const tooLong = `The label has more than ${longestLabel} characters.`
        addFault({ kind: 'invalid', what, reason: tooLong }, text, place)
      } else webhook.accounts.push({ address, label, line })
    },
    opcode(text: string, place: Place): void {
      webhook.opcodes ??= []
      const number = parseOpcode(text)
      const opcode = number === null ? '' : formatOpcode(number)
      const earlier = seenOpcodes.get(opcode)
      if (number === null) {
        addFault({ kind: 'invalid', what: 'opcode', reason: badOpcode }, text, place)
      } else if (earlier !== undefined) {
        const reason = `This opcode is already on line ${earlier}.`
        addFault({ kind: 'duplicate', what: 'opcode', reason }, text, place)
      } else {
        seenOpcodes.set(opcode, place.line)
        webhook.opcodes.push({ opcode, line: place.line })
      }
    },
    /** @throws AppError when the text is not `true` or `false`, or the flag is set twice */
    flag(name: 'newContracts' | 'mempool', text: string, place: Place): void {
      if (text !== 'true' && text !== 'false') {
        throw fileProblem(`The value must be true or false, not "${shorten(text)}".`, place)
      }
      const earlier = webhook[name]
      const on = text === 'true'
      if (earlier !== null && earlier.on !== on) {
        const message = `Line ${earlier.line} sets the opposite value for the same webhook.`
        throw fileProblem(message, place)
      }
      webhook[name] = { on, line: place.line }
    },
  }
}

export function createCollector(testOnly: boolean, max = maxAccounts) {
  const webhooks = new Map<string, { wanted: WantedWebhook; collector: WebhookCollector }>()
  let accounts = 0

  function countAccount(place: Place): void {
    accounts += 1
    if (accounts <= max) return
    throw fileProblem(`A file can contain at most ${max.toLocaleString('en')} accounts.`, place)
  }

  return {
    /** @param again true to allow a webhook that was named before @throws AppError otherwise */
    webhook(endpoint: string, id: string | null, place: Place, again: boolean): WebhookCollector {
      const problem = endpointProblem(endpoint)
      if (problem !== null) {
        throw fileProblem(`"${shorten(endpoint)}" is not a valid endpoint. ${problem}`, place)
      }
      if (id !== null && !/^\d{1,19}$/.test(id)) {
        throw fileProblem(`"${shorten(id)}" is not a webhook id.`, place)
      }
      const key = JSON.stringify([endpoint, id])
      const known = webhooks.get(key)
      if (known !== undefined && again) return known.collector
      if (known !== undefined) {
        throw fileProblem(`The same webhook is already on line ${known.wanted.line}.`, place)
      }
      const nothing = { newContracts: null, mempool: null, opcodes: null, accounts: null }
      const wanted = { endpoint, id, line: place.line, ...nothing, faults: [] }
      const collector = collectWebhook(wanted, testOnly, countAccount)
      webhooks.set(key, { wanted, collector })
      return collector
    },
    end(network: string | null): WantedFile {
      if (webhooks.size === 0) {
        throw fileProblem(
          'The file contains no webhook. The file is not applied, because that would remove all subscriptions.',
        )
      }
      return { network, webhooks: [...webhooks.values()].map(({ wanted }) => wanted) }
    },
  }
}

const shorten = (text: string): string => (text.length > 80 ? `${text.slice(0, 80)}…` : text)
