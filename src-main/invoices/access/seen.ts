import type { InvoiceApplication } from '../../../src-preload/contract/invoice-access.ts'
import type { NetworkKind } from '../../../src-preload/contract/network.ts'
import type { SandboxAccess } from '../../../src-preload/contract/sandbox.ts'

/** What was found out of the access to a network's invoices. */
export type Seen = {
  readonly kind: NetworkKind
  /** Where the console is, as a person would look for it. */
  readonly console: string
  readonly receiverUrl: string
  /** The sandbox's own word; null elsewhere. */
  readonly sandbox: SandboxAccess | null
  readonly ticked: {
    readonly account: boolean
    readonly project: boolean
    readonly granted: boolean
  }
  readonly token:
    | 'none'
    /** Kept once, and the keychain does not have it. */
    | 'lost'
    | 'good'
    /** 401. */
    | 'refused'
    /** 403. */
    | 'no-access'
    /** It is there, and could not be tried. */
    | 'untried'
  readonly application: InvoiceApplication | null
  /** False where the gateway does not answer for the application to a token. */
  readonly showsApplication: boolean
  /** The gateway lists invoices only to requests that name the application, and its id is missing. */
  readonly wantsAppId: boolean
  readonly canManage: boolean
  readonly testOnly: boolean
}
