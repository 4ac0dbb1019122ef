import { randomBytes } from 'node:crypto'
import { HttpProblem } from '../http.ts'
import { isSameKey } from '../keys.ts'
import type { InvoiceAccessRecord, InvoiceAppStore } from '../store/invoices-app.ts'
import type { AccessState, MatchingRule } from './invoice.ts'

/**
 * Who may use the API: the steps of the specification's section 1, walked by the control API. There
 * is a token from the grant on. Walked again it is the same one, so that clients need not be told
 * another; withdrawn, it is still known but refused.
 */
export type Access = {
  state(): AccessState
  /** Any step from any other: a test may begin where it likes. */
  change(state: AccessState): void
  /** Null while access was not granted yet. */
  token(): string | null
  /** The old one dies at once. */
  regenerateToken(): string
  /** @throws HttpProblem 401 for a key that is missing or wrong, 403 while access is not granted */
  check(key: string | null): void
  rule(): MatchingRule
  changeRule(rule: MatchingRule): void
  /** The tables were replaced: reads them again, but keys outlive a revert and stay as they are. */
  reload(): void
}

function newInvoicesToken(): string {
  return `TC-INVOICES_${randomBytes(24).toString('base64url')}`
}

type Tokens = {
  /** Becomes the token when there is none yet. */
  readonly initialToken?: string | undefined
  /** Stands in for the one that is kept, until another is made; it is not written down. */
  readonly givenToken?: string | undefined
}

export function createAccess(store: InvoiceAppStore, tokens: Tokens = {}): Access {
  const { initialToken = newInvoicesToken() } = tokens
  let given = tokens.givenToken ?? null
  let record = store.access() ?? first()

  function current(): string | null {
    const isBeforeGrant = record.state !== 'granted' && record.state !== 'withdrawn'
    return isBeforeGrant ? null : (given ?? record.token)
  }

  function first(): InvoiceAccessRecord {
    const granted = { state: 'granted', token: initialToken, rule: 'comment' } as const
    store.setAccess(granted)
    return granted
  }

  function set(change: Partial<InvoiceAccessRecord>): void {
    const next = { ...record, ...change }
    store.setAccess(next)
    record = next
  }

  return {
    state: () => record.state,
    change: (state) => set({ state }),
    token: current,
    regenerateToken() {
      const token = newInvoicesToken()
      set({ token })
      given = null
      return token
    },
    check(key) {
      const header = 'as Authorization: Bearer or as the query parameter api_key'
      if (key === null) throw new HttpProblem(401, `an API token is required, ${header}`)
      const { state } = record
      const token = current()
      if (token !== null && !isSameKey(key, token)) {
        throw new HttpProblem(401, 'the API token is not valid')
      }
      if (state !== 'granted') throw new HttpProblem(403, refusals[state])
    },
    rule: () => record.rule,
    changeRule: (rule) => set({ rule }),
    reload() {
      const { token } = record
      record = store.access() ?? first()
      if (token !== record.token) set({ token })
    },
  }
}

const refusals: Readonly<Record<Exclude<AccessState, 'granted'>, string>> = {
  registered:
    'access to invoices is not granted: send the project id to the operator to have it verified',
  requested: 'access to invoices is not granted yet: the project id waits to be verified',
  verified: 'access to invoices is not granted yet: the project id is verified',
  withdrawn: 'access to invoices was withdrawn',
}
