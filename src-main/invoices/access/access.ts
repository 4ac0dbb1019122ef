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
import type { KeptSecret, Network, NetworkId } from '../../../src-preload/contract/network.ts'
import type { SandboxAccess } from '../../../src-preload/contract/sandbox.ts'
import { AppError, bridgeCodes } from '../../../src-preload/domain/app-error.ts'
import type { ApplicationAnswer } from '../../gateway/invoice-answers.ts'
import type { AccessNotes, InvoiceAccessNotes } from '../store/invoice-store.ts'
import { AddressError, parseAddress, readAddress } from '../../ton/address.ts'
import type { ApplicationIds, GatewayAccess } from '../parts.ts'
import { type AccessFindings, stepsOf, type TokenCheck, checkToken } from './steps.ts'

/** Tokens of all networks except the sandbox. */
type InvoiceTokens = {
  whenRead(): Promise<void>
  get(network: NetworkId): string | null
  kept(network: NetworkId): KeptSecret | null
  /** Whether the token is in memory only, since the keychain refused it. */
  isHeld(network: NetworkId): boolean
  /** @returns why the new token is kept for this session only; null when the keychain stores it */
  replace(network: NetworkId, ask: () => Promise<string>): Promise<string | null>
}

type SandboxSteps = {
  access(): Promise<SandboxAccess>
  setAccess(access: SandboxAccess): Promise<void>
  token(): Promise<string | null>
}

type ReceiverHook = {
  /** Available even while the receiver does not listen. */
  url(): string
  publicUrl(): string | null
  isHere(url: string): boolean
}

export type InvoiceAccessDeps = {
  readonly access: Pick<GatewayAccess, 'info' | 'invoices'>
  readonly networks: () => readonly Network[]
  readonly notes: InvoiceAccessNotes
  readonly tokens: InvoiceTokens
  readonly sandbox: SandboxSteps
  readonly hook: ReceiverHook
  readonly onChanged: (network: NetworkId) => void
  readonly now: () => number
}

type AccessRoute = Extract<keyof Handlers, `invoiceAccess.${string}`>

type InvoiceAccessPart = {
  readonly handlers: Pick<Handlers, AccessRoute>
  readonly ids: ApplicationIds
  forget(network: NetworkId): void
}

type StepId = 'account' | 'project' | 'granted'
const order: readonly StepId[] = ['account', 'project', 'granted']

const requestOptions = { priority: 'interactive' } as const

export function createInvoiceAccess(deps: InvoiceAccessDeps): InvoiceAccessPart {
  const { notes, tokens, sandbox, hook } = deps
  let sandboxToken: KeptSecret | null = null
  /** Networks whose token may not change the application. */
  const unmanaged = new Set<NetworkId>()

  const isSandbox = (network: NetworkId) => deps.access.info(network).kind === 'sandbox'

  /** The sandbox has one application, with another id after each reset. */
  const ids: ApplicationIds = (network) => {
    if (network === 'sandbox') return { appId: null, projectId: null }
    const { appId, projectId } = notes.get(network)
    return { appId, projectId }
  }

  function consoleOf(network: NetworkId): string {
    const url = deps.networks().find(({ id }) => id === network)?.urls?.console ?? null
    return (url === null ? null : URL.parse(url)?.host) ?? 'the console'
  }

  function hookOf(network: NetworkId): string {
    // The sandbox delivers to this computer only.
    return isSandbox(network) ? hook.url() : (hook.publicUrl() ?? hook.url())
  }

  function toApplication(answer: ApplicationAnswer): InvoiceApplication {
    const { id, name, description, recipient, createdAt, webhooks } = answer
    return {
      id,
      name,
      description,
      recipient: readAddress(recipient)?.raw ?? recipient,
      createdAt,
      webhooks: webhooks.map(({ id: webhook, url }) => ({
        id: webhook,
        url,
        isHere: hook.isHere(url),
      })),
    }
  }

  async function read(network: NetworkId): Promise<InvoiceAccess> {
    const accessNotes = notes.get(network)
    const { kind, testOnly } = deps.access.info(network)
    const stage = kind === 'sandbox' ? await sandbox.access() : null
    const { checked, token } = await checkAccess(network, accessNotes, stage)
    const application = checked.application === null ? null : toApplication(checked.application)
    if (
      application !== null &&
      stage === null &&
      (accessNotes.appId === null || accessNotes.appIdIsRead)
    ) {
      remember(network, { ...accessNotes, appId: application.id, appIdIsRead: true })
    }
    const canManage =
      checked.token === 'good' &&
      checked.showsApplication &&
      !checked.wantsAppId &&
      !unmanaged.has(network)
    const { appId, projectId } = ids(network)
    const findings: AccessFindings = {
      ...{ kind, testOnly, canManage, application, sandbox: stage },
      console: consoleOf(network),
      receiverUrl: hookOf(network),
      ticked: accessNotes,
      token: checked.token,
      showsApplication: checked.showsApplication,
      wantsAppId: checked.wantsAppId,
    }
    return {
      network,
      steps: stepsOf(findings),
      application,
      appId,
      projectId: stage === null ? projectId : sandboxProject,
      token,
      canManage,
      receiverUrl: findings.receiverUrl,
      problem: checked.problem ?? (tokens.isHeld(network) ? heldProblem : null),
    }
  }

  async function checkAccess(
    network: NetworkId,
    { appId, projectId }: AccessNotes,
    stage: SandboxAccess | null,
  ): Promise<{
    checked: Omit<TokenCheck, 'token'> & Pick<AccessFindings, 'token'>
    token: KeptSecret | null
  }> {
    const nothing = {
      ...{ application: null, showsApplication: false },
      ...{ wantsAppId: false, problem: null },
    }
    if (stage !== null) {
      const token = await learnSandboxToken()
      if (stage !== 'granted') return { checked: { ...nothing, token: 'none' }, token }
      const checked = await checkToken(
        deps.access.invoices(network),
        { app: null, project: null },
        requestOptions,
      )
      return { checked, token }
    }
    await tokens.whenRead()
    const token = tokens.kept(network)
    const state = token === null ? 'none' : 'lost'
    let client
    try {
      client = deps.access.invoices(network)
    } catch (error) {
      // The network has no invoice address, or the token belongs to another network.
      if (!(error instanceof AppError)) throw error
      return { checked: { ...nothing, token: state, problem: error.message }, token }
    }
    if (tokens.get(network) === null) return { checked: { ...nothing, token: state }, token }
    return {
      checked: await checkToken(client, { app: appId, project: projectId }, requestOptions),
      token,
    }
  }

  async function learnSandboxToken(): Promise<KeptSecret | null> {
    const token = await sandbox.token()
    if (token === null) sandboxToken = null
    else if (sandboxToken?.hint !== token.slice(-4)) {
      sandboxToken = { hint: token.slice(-4), addedAt: deps.now(), present: true }
    }
    return sandboxToken
  }

  function remember(network: NetworkId, changed: AccessNotes): void {
    notes.set(network, changed, deps.now())
  }

  async function readChanged(network: NetworkId): Promise<InvoiceAccess> {
    deps.onChanged(network)
    return read(network)
  }

  async function setSandboxStep(step: StepId, done: boolean): Promise<void> {
    const now = await sandbox.access()
    if (!done) {
      const isTakenBack = step === 'granted' && (now === 'granted' || now === 'withdrawn')
      await sandbox.setAccess(isTakenBack ? 'withdrawn' : 'registered')
      return
    }
    if (step === 'project' && now === 'registered') await sandbox.setAccess('requested')
    if (step !== 'granted' || now === 'granted') return
    if (now === 'registered') {
      const message = 'Send the project identifier first: the operator has nothing to verify yet.'
      throw new AppError(invoiceAccessCodes.notYet, message)
    }
    if (now === 'requested') await sandbox.setAccess('verified')
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
      const message = `${error.message} The gateway may not let a token do this: ${where} on ${consoleOf(network)}.`
      throw new AppError(invoiceAccessCodes.notHere, message, { cause: error })
    }
  }

  async function findApplication(network: NetworkId): Promise<ApplicationAnswer | null> {
    const client = deps.access.invoices(network)
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
    const message = 'There is no application yet that a webhook could belong to: register it first.'
    throw new AppError(invoiceAccessCodes.notYet, message)
  }

  function recipientOf(network: NetworkId, text: string): string {
    const { testOnly, name } = deps.access.info(network)
    let address
    try {
      address = parseAddress(text)
    } catch (error) {
      if (!(error instanceof AddressError)) throw error
      throw invalid('recipient', `${text.slice(0, 80)} is no address: ${error.why}.`)
    }
    if (address.isTestOnly && !testOnly) {
      throw invalid('recipient', `It is for test networks only, and ${name} is none.`)
    }
    return address.raw
  }

  async function rotate(network: NetworkId): Promise<string | null> {
    const client = deps.access.invoices(network)
    if (isSandbox(network)) {
      try {
        await client.newToken(null)
      } finally {
        // Also after a lost response: the old token may be invalid.
        await learnSandboxToken()
      }
      return null
    }
    await tokens.whenRead()
    if (tokens.get(network) === null) throw noToken(network)
    return tokens.replace(network, async () => {
      try {
        const rotating = () => client.newToken(ids(network).appId)
        return await manage(network, 'regenerate it in the invoices section', rotating)
      } catch (error) {
        throw await afterLostRotation(network, error)
      }
    })
  }

  /** The lost response may have been the only one with the new token. */
  async function afterLostRotation(network: NetworkId, error: unknown): Promise<unknown> {
    const isLost =
      error instanceof AppError &&
      [
        gatewayCodes.timeout,
        gatewayCodes.failed,
        gatewayCodes.unreachable,
        gatewayCodes.badAnswer,
      ].some((code) => code === error.code)
    if (!isLost) return error
    const client = deps.access.invoices(network)
    const { token } = await checkToken(
      client,
      { app: ids(network).appId, project: ids(network).projectId },
      requestOptions,
    )
    if (token === 'good') return error
    const message = `${error.message} Whether there is a new token cannot be told${
      token === 'refused' ? ', but the old one is dead' : ''
    }: look on ${consoleOf(network)}, and give the one it shows here.`
    return new AppError(error.code, message, { data: error.data, cause: error })
  }

  function noToken(network: NetworkId): AppError {
    const message = `No token is kept for ${deps.access.info(network).name}. Give it first.`
    return new AppError(invoiceCodes.noAccess, message)
  }

  return {
    ids,
    forget(network) {
      notes.forget(network)
      unmanaged.delete(network)
    },
    handlers: {
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
        const client = deps.access.invoices(network)
        await manage(network, 'register or change it in the invoices section', async () => {
          const before = await findApplication(network)
          if (before === null) await client.register(form, ids(network).projectId)
          else await client.change(before.id, form)
        })
        return readChanged(network)
      },
      async 'invoiceAccess.addWebhook'({ network, url }) {
        if (!/^https?:/i.test(url)) throw invalid('url', 'A URL begins with https:// or http://.')
        await manage(network, 'add it on the Overview page of the invoices section', async () => {
          const app = await applicationId(network)
          await deps.access.invoices(network).addWebhook(app, url)
        })
        return readChanged(network)
      },
      async 'invoiceAccess.removeWebhook'({ network, id }) {
        await manage(
          network,
          'remove it on the Overview page of the invoices section',
          async () => {
            const app = await applicationId(network)
            await deps.access.invoices(network).removeWebhook(app, id)
          },
        )
        return readChanged(network)
      },
      async 'invoiceAccess.rotateToken'({ network }) {
        const refused = await rotate(network)
        const after = await readChanged(network)
        return refused === null ? after : { ...after, problem: `${heldProblem} ${refused}` }
      },
      async 'invoiceAccess.token'({ network }) {
        if (!isSandbox(network)) await tokens.whenRead()
        const token = isSandbox(network) ? await sandbox.token() : tokens.get(network)
        if (token === null) throw noToken(network)
        return { token }
      },
    },
  }
}

const heldProblem =
  'The new token works, but the keychain did not take it: it is kept until Tondesk ends only. ' +
  'Copy it to a safe place, or look for the keychain again in Settings.'

const sandboxProject = '1'

function invalid(path: string, message: string): AppError {
  return new AppError(bridgeCodes.invalidInput, message, { data: [{ path, message }] })
}
