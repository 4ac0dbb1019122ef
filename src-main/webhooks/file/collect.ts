import { endpointProblem } from '../../../src-preload/contract/webhook.ts'
import { checkAddress } from '../../ton/pasted-address.ts'
import type { ChangeItem, Difference } from '../../../src-preload/contract/subscription.ts'

export const yamlVersion = '1'

/** The column order of a file without a header. */
export const csvColumns = ['endpoint', 'kind', 'value', 'label', 'id'] as const

/** As a value, states that the webhook has no subscriptions of this kind. */
export const csvNone = 'none'

const maxAccounts = 100_000
export const maxBytes = 20 * 1024 * 1024

export type WantedAccount = {
  /** Raw. */
  readonly address: string
  readonly label: string | null
  readonly line: number
}

type WantedOpcode = {
  /** `0x` and eight hexadecimal digits. */
  readonly opcode: string
  readonly line: number
}

export type WantedFlag = { readonly on: boolean; readonly line: number }

export type Fault = {
  readonly kind: Extract<Difference['kind'], 'wrong-network' | 'duplicate' | 'invalid'>
  readonly what: ChangeItem['what']
  /** The entry's text, at most 200 characters. */
  readonly subject: string
  readonly label: string | null
  readonly line: number
  readonly reason: string
}

/** A kind that the file does not mention is null, and its subscriptions stay as they are. */
export type WantedWebhook = {
  readonly endpoint: string
  readonly id: string | null
  readonly line: number
  readonly newContracts: WantedFlag | null
  readonly mempool: WantedFlag | null
  readonly opcodes: readonly WantedOpcode[] | null
  readonly accounts: readonly WantedAccount[] | null
  readonly faults: readonly Fault[]
  /** Raw forms of addresses written for another network; their subscriptions stay as they are. */
  readonly untouchable: readonly string[]
}

export type WantedFile = {
  readonly network: string | null
  readonly webhooks: readonly WantedWebhook[]
}

/** The file as a whole cannot be read. The message is one or two sentences. */
export class FileProblem extends Error {
  /** Starts at 1; null when the problem has no line. */
  readonly line: number | null
  readonly column: number | null

  constructor(message: string, line: number | null = null, column: number | null = null) {
    super(message)
    this.line = line
    this.column = column
  }
}

/** Lines and columns start at 1. */
export type Place = { readonly line: number; readonly column: number | null }

type FlagName = 'newContracts' | 'mempool'

export type WebhookCollector = {
  account(text: string, label: string | null, place: Place): void
  opcode(text: string, place: Place): void
  /** @throws FileProblem when the text is not `true` or `false`, or the flag is set twice */
  flag(name: FlagName, text: string, place: Place): void
  mention(kind: 'accounts' | 'opcodes'): void
}

export type Collector = {
  network(name: string): void
  /** @param again allows a webhook that was named before; otherwise throws FileProblem */
  webhook(endpoint: string, id: string | null, place: Place, again: boolean): WebhookCollector
  /** @throws FileProblem when the file names no webhook */
  end(): WantedFile
}

type Building = {
  readonly endpoint: string
  readonly id: string | null
  readonly line: number
  newContracts: WantedFlag | null
  mempool: WantedFlag | null
  opcodes: WantedOpcode[] | null
  accounts: WantedAccount[] | null
  readonly faults: Fault[]
  readonly untouchable: string[]
}

const longestShown = 200
const longestLabel = 100

export function createCollector(testOnly: boolean, max = maxAccounts): Collector {
  const webhooks = new Map<string, { building: Building; collector: WebhookCollector }>()
  let network: string | null = null
  let accounts = 0

  function collect(building: Building): WebhookCollector {
    const seenAccounts = new Map<string, number>()
    const seenOpcodes = new Map<string, number>()

    function fault(found: Omit<Fault, 'subject' | 'line'>, subject: string, { line }: Place): void {
      building.faults.push({ ...found, subject: subject.slice(0, longestShown), line })
    }

    return {
      mention: (kind) => void (building[kind] ??= []),
      account(text, label, place) {
        accounts += 1
        if (accounts > max) {
          const count = max.toLocaleString('en')
          throw new FileProblem(`A file may name ${count} accounts at most.`, place.line)
        }
        building.accounts ??= []
        const { line } = place
        const judged = checkAddress(text, line, { testOnly, seen: seenAccounts })
        const { status, address, reason } = judged
        if (status !== 'valid' || address === null) {
          const kind = status === 'valid' ? 'invalid' : status
          fault({ kind, what: 'account', label, reason: reason ?? '' }, text, place)
          if (status === 'wrong-network' && address !== null) building.untouchable.push(address)
        } else if (label !== null && label.length > longestLabel) {
          const reason = `Its label has more than ${longestLabel} characters.`
          fault({ kind: 'invalid', what: 'account', label: null, reason }, text, place)
        } else building.accounts.push({ address, label, line })
      },
      opcode(text, place) {
        building.opcodes ??= []
        const opcode = readOpcode(text)
        const wrong = (kind: Fault['kind'], reason: string) =>
          fault({ kind, what: 'opcode', label: null, reason }, text, place)
        if (opcode === null) {
          wrong(
            'invalid',
            'An opcode is 0x and up to 8 hexadecimal digits, or a number of 32 bits.',
          )
          return
        }
        const earlier = seenOpcodes.get(opcode)
        if (earlier !== undefined) {
          wrong('duplicate', `The same opcode stands on line ${earlier}.`)
          return
        }
        seenOpcodes.set(opcode, place.line)
        building.opcodes.push({ opcode, line: place.line })
      },
      flag(name, text, place) {
        if (text !== 'true' && text !== 'false') {
          const said = shorten(text)
          throw new FileProblem(`"${said}" is neither true nor false.`, place.line, place.column)
        }
        const earlier = building[name]
        const on = text === 'true'
        if (earlier !== null && earlier.on !== on) {
          const message = `Line ${earlier.line} says the opposite for the same webhook.`
          throw new FileProblem(message, place.line, place.column)
        }
        building[name] = { on, line: place.line }
      },
    }
  }

  return {
    network: (name) => void (network = name),
    webhook(endpoint, id, { line, column }, again) {
      const problem = endpointProblem(endpoint)
      if (problem !== null) {
        throw new FileProblem(`"${shorten(endpoint)}" is no endpoint. ${problem}`, line, column)
      }
      if (id !== null && !/^\d{1,19}$/.test(id)) {
        throw new FileProblem(`"${shorten(id)}" is no id of a webhook.`, line, column)
      }
      const key = JSON.stringify([endpoint, id])
      const known = webhooks.get(key)
      if (known !== undefined && again) return known.collector
      if (known !== undefined) {
        const message = `The same webhook is named on line ${known.building.line} already.`
        throw new FileProblem(message, line, column)
      }
      const building: Building = {
        ...{ endpoint, id, line, newContracts: null, mempool: null },
        ...{ opcodes: null, accounts: null, faults: [], untouchable: [] },
      }
      const collector = collect(building)
      webhooks.set(key, { building, collector })
      return collector
    },
    end() {
      if (webhooks.size === 0) {
        throw new FileProblem(
          'It names no webhook. That is never read as a wish to remove them all.',
        )
      }
      return { network, webhooks: [...webhooks.values()].map(({ building }) => building) }
    },
  }
}

export function readOpcode(text: string): string | null {
  if (!/^(0x[0-9a-fA-F]{1,8}|\d{1,10})$/.test(text)) return null
  const value = Number(text)
  return value > 0xffff_ffff ? null : `0x${value.toString(16).padStart(8, '0')}`
}

function shorten(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}
