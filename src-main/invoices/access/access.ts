import type { Handlers } from '../../../src-preload/contract/routes.ts'
import type {
  InvoiceAccess,
  InvoiceApplication,
} from '../../../src-preload/contract/invoice-access.ts'
import {
  invoiceAccessCodes,
  gatewayCodes,
  invoiceCodes,
} from '../../../src-preload/domain/error-codes.ts'
import type { KeptSecret, NetworkId } from '../../../src-preload/contract/network.ts'
import type { SandboxAccess } from '../../../src-preload/contract/sandbox.ts'
import { AppError, bridgeCodes } from '../../../src-preload/domain/app-error.ts'
import type { ApplicationAnswer } from '../../gateway/invoice-answers.ts'
import type { InvoicesClient } from '../../gateway/invoices.ts'
import type { AccessNotes } from '../store/invoice-store.ts'
import { AddressError, parseAddress, readAddress } from '../../ton/address.ts'
import type { ApplicationIds, InvoicesContext } from '../context.ts'
import { type TokenCheck, checkToken, stepsOf, uncheckedToken } from './steps.ts'

type StepId = 'account' | 'project' | 'granted'
const order: readonly StepId[] = ['account', 'project', 'granted']

const requestOptions = { priority: 'interactive' } as const

/** What other rooms know of a network: its tokens, the sandbox's stage, and whether a URL leads here. */
export type AccessSources = {
  readonly secrets: {
    whenRead(): Promise<unknown>
    get(network: NetworkId, slot: 'invoices'): string | null
    kept(network: NetworkId): { readonly invoices: KeptSecret | null }
    /** Whether the token is in memory only, since the keychain refused it. */
    isHeld(network: NetworkId, slot: 'invoices'): boolean
  }
  readonly sandbox: {
    access(): Promise<SandboxAccess>
    setAccess(access: SandboxAccess): Promise<void>
    token(): Promise<string | null>
  }
  readonly publicHook: () => string | null
  readonly isHere: (url: string) => boolean
}

export function createInvoiceAccess(
  context: InvoicesContext,
  { secrets, sandbox, publicHook, isHere }: AccessSources,
  onChanged: (network: NetworkId) => void,
) {
  const { access, networks, now, receiver } = context
  const notes = context.store.accessNotes
  let sandboxToken: KeptSecret | null = null
  /** Networks whose token may not change the application. */
  const unmanaged = new Set<NetworkId>()

  const isSandbox = (network: NetworkId) => access.info(network).kind === 'sandbox'

  /** The sandbox has one application, with another id after each reset. */
  const ids: ApplicationIds = (network) => {
    if (network === 'sandbox') return { appId: null, projectId: null }
    const { appId, projectId } = notes.get(network)
    return { appId, projectId }
  }

  function consoleOf(network: NetworkId): string {
    const url = networks.state().networks.find(({ id }) => id === network)?.urls?.console ?? null
    return (url === null ? null : URL.parse(url)?.host) ?? 'the console'
  }

  function toApplication({ webhooks, ...answer }: ApplicationAnswer): InvoiceApplication {
    return {
      ...answer,
      recipient: readAddress(answer.recipient)?.raw ?? answer.recipient,
      webhooks: webhooks.map(({ id, url }) => ({ id, url, isHere: isHere(url) })),
    }
  }

  async function read(network: NetworkId): Promise<InvoiceAccess> {
    const ticked = notes.get(network)
    const { kind, testOnly } = access.info(network)
    const stage = kind === 'sandbox' ? await sandbox.access() : null
    if (stage === null) await secrets.whenRead()
    const token = stage === null ? secrets.kept(network).invoices : await learnSandboxToken()
    const checked = await checkAccess(network, stage, token !== null)
    const application = checked.application === null ? null : toApplication(checked.application)
    if (application !== null && stage === null && (ticked.appId === null || ticked.appIdIsRead)) {
      remember(network, { ...ticked, appId: application.id, appIdIsRead: true })
    }
    const canManage =
      checked.token === 'good' &&
      checked.showsApplication &&
      !checked.wantsAppId &&
      !unmanaged.has(network)
    const findings = { ...checked, kind, testOnly, canManage, application, sandbox: stage, ticked }
    const { appId, projectId } = ids(network)
    const problem = secrets.isHeld(network, 'invoices') ? heldProblem : null
    return {
      network,
      application,
      appId,
      token,
      canManage,
      steps: stepsOf({ ...findings, console: consoleOf(network) }),
      projectId: stage === null ? projectId : sandboxProject,
      // The sandbox delivers to this computer only.
      receiverUrl: (stage === null ? publicHook() : null) ?? receiver.url(),
      problem: checked.problem ?? problem,
    }
  }

  async function checkAccess(
    network: NetworkId,
    stage: SandboxAccess | null,
    isKept: boolean,
  ): Promise<TokenCheck> {
    const missing = stage === null && isKept ? 'lost' : 'none'
    if (stage !== null && stage !== 'granted') return uncheckedToken(missing)
    let client
    try {
      client = access.invoices(network)
    } catch (error) {
      // The network has no invoice address, or the token belongs to another network.
      if (stage !== null || !(error instanceof AppError)) throw error
      return uncheckedToken(missing, error.message)
    }
    if (stage === null && secrets.get(network, 'invoices') === null) return uncheckedToken(missing)
    return checkToken(client, ids(network), requestOptions)
  }

  async function learnSandboxToken(): Promise<KeptSecret | null> {
    const token = await sandbox.token()
    if (token === null) sandboxToken = null
    else if (sandboxToken?.hint !== token.slice(-4)) {
      sandboxToken = { hint: token.slice(-4), addedAt: now(), present: true }
    }
    return sandboxToken
  }

  function remember(network: NetworkId, changed: AccessNotes): void {
    notes.set(network, changed, now())
  }

  async function readChanged(network: NetworkId): Promise<InvoiceAccess> {
    onChanged(network)
    return read(network)
  }

  async function setSandboxStep(step: StepId, done: boolean): Promise<void> {
    const stage = await sandbox.access()
    if (!done) {
      const isTakenBack = step === 'granted' && (stage === 'granted' || stage === 'withdrawn')
      await sandbox.setAccess(isTakenBack ? 'withdrawn' : 'registered')
      return
    }
    if (step === 'project' && stage === 'registered') await sandbox.setAccess('requested')
    if (step !== 'granted' || stage === 'granted') return
    if (stage === 'registered') {
      const message = 'Send the project ID first, so that the operator can verify the project.'
      throw new AppError(invoiceAccessCodes.notYet, message)
    }
    if (stage === 'requested') await sandbox.setAccess('verified')
    await sandbox.setAccess('granted')
  }

  function tickStep(network: NetworkId, step: StepId, done: boolean): void {
    const at = order.indexOf(step)
    const before = notes.get(network)
    // A done step implies the steps before it; an open step reopens those after it.
    const isTicked = (each: StepId) => {
      const place = order.indexOf(each)
      return done ? before[each] || place <= at : before[each] && place < at
    }
    remember(network, {
      ...before,
      account: isTicked('account'),
      project: isTicked('project'),
      granted: isTicked('granted'),
    })
  }

  /** @throws AppError INVOICE_ACCESS_NOT_HERE where the user must act elsewhere, and the client's errors */
  async function manage<T>(network: NetworkId, where: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof AppError) || isSandbox(network)) throw error
      const { status } = (error.data ?? {}) as { status?: number }
      if (![401, 403, 404, 405, 501].includes(status ?? 0)) throw error
      if (status === 401 || status === 403) unmanaged.add(network)
      const message = `${error.message} The token may lack the permission for this action: ${where} on ${consoleOf(network)}.`
      throw new AppError(invoiceAccessCodes.notHere, message, { cause: error })
    }
  }

  async function findApplication(network: NetworkId): Promise<ApplicationAnswer | null> {
    const client = access.invoices(network)
    try {
      return await client.application(ids(network).projectId, requestOptions)
    } catch (error) {
      if (error instanceof AppError && error.code === gatewayCodes.notFound) return null
      throw error
    }
  }

  /** @throws AppError INVOICE_ACCESS_NOT_YET */
  async function applicationId(network: NetworkId): Promise<string> {
    const found = (await findApplication(network))?.id ?? ids(network).appId
    if (found !== null) return found
    const message = 'A webhook needs an application. Register the application first.'
    throw new AppError(invoiceAccessCodes.notYet, message)
  }

  async function changeWebhooks(
    network: NetworkId,
    action: 'add' | 'remove',
    change: (client: InvoicesClient, application: string) => Promise<unknown>,
  ): Promise<InvoiceAccess> {
    const where = `${action} the webhook on the Overview page of the invoices section`
    await manage(network, where, async () => {
      const application = await applicationId(network)
      await change(access.invoices(network), application)
    })
    return readChanged(network)
  }

  function recipientOf(network: NetworkId, text: string): string {
    const { testOnly, name } = access.info(network)
    let address
    try {
      address = parseAddress(text)
    } catch (error) {
      if (!(error instanceof AddressError)) throw error
      throw invalid('recipient', `${text.slice(0, 80)} is not a valid address: ${error.why}.`)
    }
    if (address.isTestOnly && !testOnly) {
      throw invalid('recipient', `The address is for test networks; ${name} is not a test network.`)
    }
    return address.raw
  }

  async function rotate(network: NetworkId): Promise<string | null> {
    const client = access.invoices(network)
    if (isSandbox(network)) {
      try {
        await client.newToken(null)
      } finally {
        // Also after a lost response: the old token may be invalid.
        await learnSandboxToken()
      }
      return null
    }
    await secrets.whenRead()
    if (secrets.get(network, 'invoices') === null) throw noToken(network)
    return networks.replaceSecret(network, 'invoices', async () => {
      try {
        const rotating = () => client.newToken(ids(network).appId)
        return await manage(network, 'regenerate the token in the invoices section', rotating)
      } catch (error) {
        throw await afterLostRotation(network, error)
      }
    })
  }

  /** The lost response may have been the only one with the new token. */
  async function afterLostRotation(network: NetworkId, error: unknown): Promise<unknown> {
    if (!(error instanceof AppError) || !lostResponses.has(error.code)) return error
    const client = access.invoices(network)
    const { token } = await checkToken(client, ids(network), requestOptions)
    if (token === 'good') return error
    const message = `${error.message} It is unknown whether a new token exists${
      token === 'refused' ? ', but the old token no longer works' : ''
    }. Open ${consoleOf(network)} and enter the token shown there.`
    return new AppError(error.code, message, { data: error.data, cause: error })
  }

  function noToken(network: NetworkId): AppError {
    const message = `No token is stored for ${access.info(network).name}. Add a token first.`
    return new AppError(invoiceCodes.noAccess, message)
  }

  const handlers: Pick<Handlers, Extract<keyof Handlers, `invoiceAccess.${string}`>> = {
    'invoiceAccess.read'({ network }) {
      unmanaged.delete(network)
      return read(network)
    },
    async 'invoiceAccess.setStep'({ network, step, done }) {
      if (isSandbox(network)) await setSandboxStep(step, done)
      else tickStep(network, step, done)
      return readChanged(network)
    },
    async 'invoiceAccess.setIds'({ network, appId, projectId }) {
      const before = notes.get(network)
      if (!isSandbox(network)) {
        const appIdIsRead = before.appIdIsRead && appId === before.appId
        remember(network, { ...before, appId, appIdIsRead, projectId })
      }
      return readChanged(network)
    },
    async 'invoiceAccess.setApplication'({ network, name, description, recipient }) {
      const form = { name, description, recipient: recipientOf(network, recipient) }
      const client = access.invoices(network)
      await manage(network, 'edit the application in the invoices section', async () => {
        const before = await findApplication(network)
        if (before === null) await client.register(form, ids(network).projectId)
        else await client.change(before.id, form)
      })
      return readChanged(network)
    },
    async 'invoiceAccess.addWebhook'({ network, url }) {
      if (!/^https?:/i.test(url))
        throw invalid('url', 'The URL must begin with https:// or http://.')
      return changeWebhooks(network, 'add', (client, app) => client.addWebhook(app, url))
    },
    'invoiceAccess.removeWebhook': ({ network, id }) =>
      changeWebhooks(network, 'remove', (client, app) => client.removeWebhook(app, id)),
    async 'invoiceAccess.rotateToken'({ network }) {
      const refused = await rotate(network)
      const after = await readChanged(network)
      return refused === null ? after : { ...after, problem: `${heldProblem} ${refused}` }
    },
    async 'invoiceAccess.token'({ network }) {
      if (!isSandbox(network)) await secrets.whenRead()
      const token = isSandbox(network) ? await sandbox.token() : secrets.get(network, 'invoices')
      if (token === null) throw noToken(network)
      return { token }
    },
  }
  return {
    ids,
    handlers,
    forget(network: NetworkId): void {
      notes.forget(network)
      unmanaged.delete(network)
    },
  }
}

const lostResponses: ReadonlySet<string> = new Set([
  ...[gatewayCodes.timeout, gatewayCodes.failed, gatewayCodes.unreachable, gatewayCodes.badAnswer],
])

const heldProblem =
  'The new token works, but the keychain did not store it. Tondesk keeps the token until you quit. Copy the token to a safe place, or check the keychain again in Settings.'

const sandboxProject = '1'

function invalid(path: string, message: string): AppError {
  return new AppError(bridgeCodes.invalidInput, message, { data: [{ path, message }] })
}
