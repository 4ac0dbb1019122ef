/** The checklist of section 1 of the specification. All functions are pure except `checkToken`. */
import type {
  InvoiceAccessStep,
  InvoiceApplication,
} from '../../../src-preload/contract/invoice-access.ts'
import { formatFriendly } from '../../ton/address.ts'
import type { NetworkKind } from '../../../src-preload/contract/network.ts'
import type { SandboxAccess } from '../../../src-preload/contract/sandbox.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import { gatewayCodes, invoiceAccessCodes } from '../../../src-preload/domain/error-codes.ts'
import type { ApplicationResponse } from '../../gateway/invoice-responses.ts'
import type { InvoicesClient } from '../../gateway/invoices.ts'
import type { QueryOptions } from '../../gateway/query.ts'
import type { TroubleData } from '../../gateway/trouble.ts'
import { readRefusal } from '../../jobs/refusal.ts'
import type { ApplicationIds } from '../context.ts'

export const requestOptions = { priority: 'interactive' } as const

type StepId = 'account' | 'project' | 'granted'
type Ticked = Readonly<Record<StepId, boolean>>
const order: readonly StepId[] = ['account', 'project', 'granted']

/** A done step implies the previous steps; an open step reopens the later ones. */
export function tickStep<T extends Ticked>(before: T, step: StepId, done: boolean): T {
  const at = order.indexOf(step)
  const isTicked = (each: StepId) => {
    const place = order.indexOf(each)
    return done ? before[each] || place <= at : before[each] && place < at
  }
  return {
    ...before,
    account: isTicked('account'),
    project: isTicked('project'),
    granted: isTicked('granted'),
  }
}

/**
 * The stages through which the sandbox passes when a step is done or reopened.
 * @throws AppError INVOICE_ACCESS_NOT_YET
 */
export function stagesTo(stage: SandboxAccess, step: StepId, done: boolean): SandboxAccess[] {
  if (!done) {
    const isTakenBack = step === 'granted' && (stage === 'granted' || stage === 'withdrawn')
    return [isTakenBack ? 'withdrawn' : 'registered']
  }
  if (step === 'project' && stage === 'registered') return ['requested']
  if (step !== 'granted' || stage === 'granted') return []
  if (stage === 'registered') {
    const message = 'Send the project ID first, so that the operator can verify the project.'
    throw new AppError(invoiceAccessCodes.notYet, message)
  }
  return stage === 'requested' ? ['verified', 'granted'] : ['granted']
}

type Step = Omit<InvoiceAccessStep, 'id' | 'title'>

const titles: Readonly<Record<InvoiceAccessStep['id'], string>> = {
  account: 'Account on the console',
  project: 'Project ID sent',
  granted: 'Access granted',
  application: 'Application',
  token: 'API token',
  webhook: 'Webhook for status changes',
}

export function stepsOf(findings: AccessFindings): InvoiceAccessStep[] {
  const account = accountStep(findings)
  const project = projectStep(findings, account)
  const granted = grantedStep(findings, project)
  const application = applicationStep(findings, granted)
  const token = tokenStep(findings, granted)
  const webhook = webhookStep(findings, application, token)
  const steps = { account, project, granted, application, token, webhook }
  return (Object.keys(titles) as InvoiceAccessStep['id'][]).map((id) => ({
    id,
    title: titles[id],
    ...steps[id],
  }))
}

const step = (state: Step['state'], text: string, canDo = false): Step => ({ state, text, canDo })

/** A working token implies all previous steps. */
const hasWorkingToken = ({ token }: AccessFindings) => token === 'good'

function accountStep(findings: AccessFindings): Step {
  if (findings.sandbox !== null) return step('done', 'The sandbox has an account for you.', true)
  if (hasWorkingToken(findings) || findings.ticked.account) {
    return step('done', 'You have an account.')
  }
  const text = `Register on ${findings.console}, then tick this step. If you already have a token, add it below: Tondesk then ticks the steps before the token automatically.`
  return step('open', text)
}

function projectStep(findings: AccessFindings, before: Step): Step {
  const { sandbox } = findings
  if (sandbox === 'registered') {
    const text =
      'The sandbox’s project has the ID 1. On other networks you send the project ID to the operator yourself; here one click sends it.'
    return step('open', text, true)
  }
  if (sandbox !== null || hasWorkingToken(findings) || findings.ticked.project) {
    return step('done', 'The operator has the project ID.', sandbox !== null)
  }
  const text = `Copy the project ID from the project settings on ${findings.console} and send it to the operator there. Also save the project ID below, because some requests need it.`
  return step(before.state === 'done' ? 'open' : 'blocked', text)
}

function grantedStep(findings: AccessFindings, before: Step): Step {
  const { sandbox } = findings
  if (sandbox === 'withdrawn') {
    const text =
      'Access was withdrawn. Invoices are still tracked, but the API denies requests until access is granted again.'
    return step('open', text, true)
  }
  if (sandbox === 'granted' || hasWorkingToken(findings)) {
    return step('done', 'The API accepts requests.', sandbox !== null)
  }
  if (before.state !== 'done') {
    return step('blocked', 'Available once the operator has the project ID.')
  }
  if (sandbox !== null) {
    const text = 'The operator verifies the project. On the sandbox you grant access yourself.'
    return step('waiting', text, true)
  }
  if (findings.token === 'no-access') {
    const text =
      'The gateway accepts the token but denies requests for invoices: access is not granted yet, or was withdrawn. Contact the operator.'
    return step('waiting', text)
  }
  if (findings.ticked.granted)
    return step('done', 'You ticked this step. A working token will confirm it.')
  const text =
    'The operator verifies the project and grants access. Tick this step when it is done; a working token ticks it automatically.'
  return step('waiting', text)
}

function applicationStep(findings: AccessFindings, before: Step): Step {
  const { application, canManage, console, testOnly } = findings
  if (application !== null) {
    const to = formatFriendly(application.recipient, { bounceable: false, testOnly })
    return step('done', `${application.name}: payments go to ${to}.`, canManage)
  }
  if (findings.wantsAppId) {
    const text = `The gateway lists invoices only to requests that name the application. Copy the application’s ID from ${console} and enter it as App ID.`
    return step('open', text)
  }
  if (hasWorkingToken(findings) && !findings.showsApplication) {
    const text = `The application exists, because its token works. Only ${console} shows its details.`
    return step('done', text)
  }
  const recipient =
    findings.kind === 'sandbox'
      ? 'any of your wallets, for example the merchant’s'
      : 'a wallet that has sent at least one transaction'
  const what = `Register who issues the invoices and which address receives payments: ${recipient}.`
  if (before.state !== 'done') return step('blocked', what)
  if (findings.token === 'untried') return step('unknown', 'The gateway did not respond.')
  if (canManage) return step('open', what, true)
  const where =
    findings.sandbox === null
      ? `Register on ${console}, in the invoices section.`
      : 'The sandbox does not accept its own token at the moment.'
  return step('open', `${what} ${where}`)
}

function tokenStep({ sandbox, token, console }: AccessFindings, before: Step): Step {
  const where =
    sandbox === null
      ? `Copy the token from the invoices section of ${console} and add it here. Tondesk stores the token in the keychain.`
      : 'Rotate the token here.'
  switch (token) {
    case 'good': {
      const text =
        sandbox === null
          ? 'The token is stored in the keychain, and the gateway accepts it.'
          : 'The sandbox created and stores the token. Tondesk keeps it in memory only.'
      return step('done', text, true)
    }
    case 'refused': {
      const text =
        'The gateway rejects the stored token. The token may have been rotated outside this app.'
      return step('open', `${text} ${where}`, true)
    }
    case 'no-access':
      return step('done', 'The gateway accepts the token but denies requests for invoices.', true)
    case 'lost':
      return step('open', `The token is no longer in the keychain. ${where}`, true)
    case 'untried':
      return step('unknown', 'The token is stored, but could not be tested.', true)
    case 'none': {
      if (sandbox === 'withdrawn')
        return step('blocked', 'The token works again once access is granted.')
      if (sandbox !== null) return step('blocked', 'The token is created when access is granted.')
      const text =
        before.state === 'done'
          ? 'The token is created together with the access.'
          : 'The token is created when access is granted.'
      return step('open', `${text} ${where}`, true)
    }
  }
}

function webhookStep(findings: AccessFindings, before: Step, token: Step): Step {
  const { application, canManage, console, sandbox } = findings
  if (application?.webhooks.some(({ isHere }) => isHere) === true) {
    return step('done', 'This receiver receives status changes.', canManage)
  }
  if (application !== null && canManage) {
    const text = 'Without a webhook, Tondesk notices changes only when it syncs. Add this receiver.'
    return step('open', text, true)
  }
  const text =
    sandbox === null
      ? `Add this receiver’s URL on the Overview page of the invoices section of ${console}. Tondesk cannot check whether this webhook exists. Without the webhook, Tondesk notices changes only when it syncs.`
      : 'You can add this receiver after you have registered the application. Without a webhook, Tondesk notices changes only when it syncs.'
  const isUnknown = token.state === 'unknown' || (sandbox === null && before.state === 'done')
  return step(isUnknown ? 'unknown' : 'blocked', text)
}

type AccessFindings = Omit<TokenCheck, 'application' | 'problem'> & {
  readonly kind: NetworkKind
  readonly console: string
  readonly sandbox: SandboxAccess | null
  readonly ticked: Ticked
  readonly application: InvoiceApplication | null
  readonly canManage: boolean
  readonly testOnly: boolean
}

export type TokenCheck = {
  /** `lost`: the keychain no longer has the token. */
  readonly token: 'none' | 'lost' | 'good' | 'refused' | 'no-access' | 'untried'
  readonly application: ApplicationResponse | null
  readonly showsApplication: boolean
  readonly wantsAppId: boolean
  readonly problem: string | null
}

export function uncheckedToken(
  token: TokenCheck['token'],
  problem: string | null = null,
): TokenCheck {
  return { token, application: null, showsApplication: false, wantsAppId: false, problem }
}

/** No invoice has this id, so a valid token gets 404. */
const unknownInvoice = '00000000'

/** @throws any error other than AppError */
export async function checkToken(
  client: InvoicesClient,
  { appId, projectId }: ReturnType<ApplicationIds>,
  queryOptions: QueryOptions,
): Promise<TokenCheck> {
  let isAbsent = false
  const good = async (): Promise<TokenCheck> => {
    const wantsAppId = appId === null && (await refusesToList(client, queryOptions))
    return { ...uncheckedToken('good'), showsApplication: isAbsent, wantsAppId }
  }
  try {
    const application = await client.application(projectId, queryOptions)
    return { ...uncheckedToken('good'), application, showsApplication: true }
  } catch (error) {
    const { kind, message } = readRefusal(error)
    if (kind === 'passing') return uncheckedToken('untried', message)
    // 404 means that no application is registered; other refusals mean that tokens may not read it.
    isAbsent = (error as AppError).code === gatewayCodes.notFound
  }
  try {
    await client.get(unknownInvoice, queryOptions)
    return await good()
  } catch (error) {
    const { message } = readRefusal(error)
    switch ((error as AppError).code) {
      case gatewayCodes.notFound:
      case gatewayCodes.refused:
        return good()
      case gatewayCodes.keyRefused:
        return uncheckedToken('refused')
      case gatewayCodes.forbidden:
        return uncheckedToken('no-access')
      default:
        return uncheckedToken('untried', message)
    }
  }
}

async function refusesToList(client: InvoicesClient, queryOptions: QueryOptions): Promise<boolean> {
  try {
    await client.list({ limit: 1 }, null, queryOptions)
    return false
  } catch (error) {
    return ((error as AppError).data as TroubleData | undefined)?.wantsAppId === true
  }
}
