import type { Handlers } from '../../../src-preload/contract/routes.ts'
import type {
  InvoiceAccess,
  InvoiceApplication,
} from '../../../src-preload/contract/invoice-access.ts'
import type { Network, NetworkId, StoredSecret } from '../../../src-preload/contract/network.ts'
import type { SandboxAccess } from '../../../src-preload/contract/sandbox.ts'
import { AppError, bridgeCodes } from '../../../src-preload/domain/app-error.ts'
import type { ApplicationResponse } from '../../gateway/invoice-responses.ts'
import { AddressError, parseAddress, rawAddress } from '../../ton/address.ts'
import type { ApplicationIds, GatewayAccess, InvoicesContext } from '../context.ts'
import {
  type TokenCheck,
  checkToken,
  requestOptions,
  stagesTo,
  stepsOf,
  tickStep,
  uncheckedToken,
} from './steps.ts'
import {
  gatewayCodes,
  invoiceAccessCodes,
  invoiceCodes,
} from '../../../src-preload/domain/error-codes.ts'
import { unlessNotFound } from '../../chain/access.ts'
import type { InvoicesClient } from '../../gateway/invoices.ts'

/** Facts about a network from other rooms: its tokens, the sandbox's stage, and whether a URL leads here. */
export type AccessSources = {
  readonly secrets: {
    whenRead(): Promise<unknown>
    get(network: NetworkId, slot: 'invoices'): string | null
    kept(network: NetworkId): { readonly invoices: StoredSecret | null }
    /** True if the token is in memory only, because the keychain refused it. */
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
  sources: AccessSources,
  onChanged: (network: NetworkId) => void,
) {
  const { access, now, receiver } = context
  const { isHere, publicHook, sandbox, secrets } = sources
  const notes = context.store.accessNotes

  const isSandbox = (network: NetworkId) => access.info(network).kind === 'sandbox'

  /** The sandbox has one application, with another id after each reset. */
  const ids: ApplicationIds = (network) => {
    if (network === 'sandbox') return { appId: null, projectId: null }
    const { appId, projectId } = notes.get(network)
    return { appId, projectId }
  }

  const actions = createGatewayActions(context, secrets, ids)
  let sandboxToken: StoredSecret | null = null

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
      // The network has no invoice URL, or the token belongs to another network.
      if (stage !== null || !(error instanceof AppError)) throw error
      return uncheckedToken(missing, error.message)
    }
    if (stage === null && secrets.get(network, 'invoices') === null) return uncheckedToken(missing)
    return checkToken(client, ids(network), requestOptions)
  }

  async function learnSandboxToken(): Promise<StoredSecret | null> {
    const token = await sandbox.token()
    if (token === null) sandboxToken = null
    else if (sandboxToken?.hint !== token.slice(-4)) {
      sandboxToken = { hint: token.slice(-4), addedAt: now(), present: true }
    }
    return sandboxToken
  }

  /** Determines which steps of the access to the network's invoices are done. */
  async function read(network: NetworkId): Promise<InvoiceAccess> {
    const ticked = notes.get(network)
    const { kind, testOnly } = access.info(network)
    const stage = kind === 'sandbox' ? await sandbox.access() : null
    if (stage === null) await secrets.whenRead()
    const token = stage === null ? secrets.kept(network).invoices : await learnSandboxToken()
    const checked = await checkAccess(network, stage, token !== null)
    const application = checked.application && toApplication(checked.application, isHere)
    if (application !== null && stage === null && (ticked.appId === null || ticked.appIdIsRead)) {
      notes.set(network, { ...ticked, appId: application.id, appIdIsRead: true }, now())
    }
    const canManage =
      checked.token === 'good' &&
      checked.showsApplication &&
      !checked.wantsAppId &&
      actions.canManage(network)
    const findings = { ...checked, kind, testOnly, canManage, application, sandbox: stage, ticked }
    const { appId, projectId } = ids(network)
    return {
      network,
      application,
      appId,
      token,
      canManage,
      steps: stepsOf({ ...findings, console: actions.consoleOf(network) }),
      projectId: stage === null ? projectId : sandboxProject,
      // The sandbox delivers to this computer only.
      receiverUrl: (stage === null ? publicHook() : null) ?? receiver.url(),
      problem: checked.problem ?? (secrets.isHeld(network, 'invoices') ? heldProblem : null),
    }
  }

  async function readChanged(network: NetworkId): Promise<InvoiceAccess> {
    onChanged(network)
    return read(network)
  }

  const handlers: Pick<Handlers, Extract<keyof Handlers, `invoiceAccess.${string}`>> = {
    'invoiceAccess.read'({ network }) {
      actions.forget(network)
      return read(network)
    },
    async 'invoiceAccess.setStep'({ network, step, done }) {
      if (isSandbox(network)) {
        for (const stage of stagesTo(await sandbox.access(), step, done)) {
          await sandbox.setAccess(stage)
        }
      } else notes.set(network, tickStep(notes.get(network), step, done), now())
      return readChanged(network)
    },
    async 'invoiceAccess.setIds'({ network, appId, projectId }) {
      const before = notes.get(network)
      if (!isSandbox(network)) {
        const appIdIsRead = before.appIdIsRead && appId === before.appId
        notes.set(network, { ...before, appId, appIdIsRead, projectId }, now())
      }
      return readChanged(network)
    },
    async 'invoiceAccess.setApplication'({ network, name, description, recipient }) {
      const form = { name, description, recipient: recipientOf(access.info(network), recipient) }
      await actions.setApplication(network, form)
      return readChanged(network)
    },
    async 'invoiceAccess.addWebhook'({ network, url }) {
      if (!/^https?:/i.test(url))
        throw invalid('url', 'The URL must begin with https:// or http://.')
      await actions.addWebhook(network, url)
      return readChanged(network)
    },
    async 'invoiceAccess.removeWebhook'({ network, id }) {
      await actions.removeWebhook(network, id)
      return readChanged(network)
    },
    async 'invoiceAccess.rotateToken'({ network }) {
      let refused: string | null = null
      try {
        refused = await actions.rotateToken(network)
      } finally {
        // The sandbox's token is read even after a lost response, because the old token may be invalid.
        if (isSandbox(network)) await learnSandboxToken()
      }
      const after = await readChanged(network)
      return refused === null ? after : { ...after, problem: `${heldProblem} ${refused}` }
    },
    async 'invoiceAccess.token'({ network }) {
      if (!isSandbox(network)) await secrets.whenRead()
      const token = isSandbox(network) ? await sandbox.token() : secrets.get(network, 'invoices')
      if (token === null) throw noToken(access.info(network).name)
      return { token }
    },
  }
  return {
    ids,
    handlers,
    forget(network: NetworkId): void {
      notes.forget(network)
      actions.forget(network)
    },
  }
}

const heldProblem =
  'The new token works, but the keychain did not store it. Tondesk keeps the token until you quit. Copy the token to a safe place, or check the keychain again in Settings.'

const sandboxProject = '1'

const invalid = (path: string, message: string): AppError =>
  new AppError(bridgeCodes.invalidInput, message, { data: [{ path, message }] })

function toApplication(
  { webhooks, ...answer }: ApplicationResponse,
  isHere: (url: string) => boolean,
): InvoiceApplication {
  return {
    ...answer,
    recipient: rawAddress(answer.recipient),
    webhooks: webhooks.map(({ id, url }) => ({ id, url, isHere: isHere(url) })),
  }
}

function recipientOf({ testOnly, name }: ReturnType<GatewayAccess['info']>, text: string): string {
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

/** Changes the application, its webhooks and its token at the gateway. */
function createGatewayActions(
  { access, networks }: Pick<InvoicesContext, 'access' | 'networks'>,
  secrets: AccessSources['secrets'],
  ids: ApplicationIds,
) {
  /** Networks whose token may not change the application. */
  const unmanaged = new Set<NetworkId>()

  const isSandbox = (network: NetworkId) => access.info(network).kind === 'sandbox'

  const consoleOf = (network: NetworkId) => hostOfConsole(networks.state().networks, network)

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

  const findApplication = (network: NetworkId): Promise<ApplicationResponse | null> =>
    unlessNotFound(access.invoices(network).application(ids(network).projectId, requestOptions))

  /** @throws AppError INVOICE_ACCESS_NOT_YET */
  async function applicationId(network: NetworkId): Promise<string> {
    const found = (await findApplication(network))?.id ?? ids(network).appId
    if (found === null) throw new AppError(invoiceAccessCodes.notYet, noApplication)
    return found
  }

  async function changeWebhooks(
    network: NetworkId,
    action: 'add' | 'remove',
    change: (client: InvoicesClient, application: string) => Promise<unknown>,
  ): Promise<void> {
    const where = `${action} the webhook on the Overview page of the invoices section`
    await manage(network, where, async () => {
      const application = await applicationId(network)
      await change(access.invoices(network), application)
    })
  }

  /** @returns why the keychain did not store the new token; null if it did */
  async function rotateToken(network: NetworkId): Promise<string | null> {
    const client = access.invoices(network)
    if (isSandbox(network)) {
      await client.newToken(null)
      return null
    }
    await secrets.whenRead()
    if (secrets.get(network, 'invoices') === null) throw noToken(access.info(network).name)
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
    const { token } = await checkToken(access.invoices(network), ids(network), requestOptions)
    return token === 'good' ? error : lostRotation(error, token, consoleOf(network))
  }

  return {
    consoleOf,
    canManage: (network: NetworkId) => !unmanaged.has(network),
    async setApplication(
      network: NetworkId,
      form: Parameters<InvoicesClient['register']>[0],
    ): Promise<void> {
      const client = access.invoices(network)
      await manage(network, 'edit the application in the invoices section', async () => {
        const before = await findApplication(network)
        if (before === null) await client.register(form, ids(network).projectId)
        else await client.change(before.id, form)
      })
    },
    addWebhook: (network: NetworkId, url: string) =>
      changeWebhooks(network, 'add', (client, app) => client.addWebhook(app, url)),
    removeWebhook: (network: NetworkId, id: string) =>
      changeWebhooks(network, 'remove', (client, app) => client.removeWebhook(app, id)),
    rotateToken,
    forget: (network: NetworkId) => void unmanaged.delete(network),
  }
}

const lostResponses: ReadonlySet<string> = new Set([
  gatewayCodes.timeout,
  gatewayCodes.failed,
  gatewayCodes.unreachable,
  gatewayCodes.badAnswer,
])

function hostOfConsole(networks: readonly Network[], network: NetworkId): string {
  const url = networks.find(({ id }) => id === network)?.urls?.console ?? null
  return (url === null ? null : URL.parse(url)?.host) ?? 'the console'
}

const noApplication = 'A webhook needs an application. Register the application first.'

function lostRotation(error: AppError, token: TokenCheck['token'], host: string): AppError {
  const old = token === 'refused' ? ', but the old token no longer works' : ''
  const message = `${error.message} It is unknown whether a new token exists${old}. Open ${host} and enter the token shown there.`
  return new AppError(error.code, message, { data: error.data, cause: error })
}

const noToken = (name: string): AppError =>
  new AppError(invoiceCodes.noAccess, `No token is stored for ${name}. Add a token first.`)
