/** Section 1 of the specification as a checklist. Pure, except `checkToken`. */
import type {
  InvoiceAccessStep,
  InvoiceApplication,
} from '../../../src-preload/contract/invoice-access.ts'
import { formatFriendly } from '../../ton/address.ts'
import type { NetworkKind } from '../../../src-preload/contract/network.ts'
import type { SandboxAccess } from '../../../src-preload/contract/sandbox.ts'
import type { AppError } from '../../../src-preload/domain/app-error.ts'
import { gatewayCodes } from '../../../src-preload/domain/error-codes.ts'
import type { ApplicationAnswer } from '../../gateway/invoice-answers.ts'
import type { ApplicationId, InvoicesClient } from '../../gateway/invoices.ts'
import type { Asking } from '../../gateway/query.ts'
import type { TroubleData } from '../../gateway/trouble.ts'
import { readRefusal } from '../../jobs/refusal.ts'

type Step = Omit<InvoiceAccessStep, 'id' | 'title'>

const titles: Readonly<Record<InvoiceAccessStep['id'], string>> = {
  account: 'Account on the console',
  project: 'Project identifier sent',
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

/** A token that works implies all steps before it. */
const hasWorkingToken = ({ token }: AccessFindings) => token === 'good'

function accountStep(findings: AccessFindings): Step {
  if (findings.sandbox !== null) {
    return { state: 'done', text: 'The sandbox has an account for you.', canDo: true }
  }
  if (hasWorkingToken(findings) || findings.ticked.account) {
    return { state: 'done', text: 'You have an account.', canDo: false }
  }
  const text = `Register on ${findings.console}, then tick this. If you have a token already, give it below: the rest ticks itself.`
  return { state: 'open', text, canDo: false }
}

function projectStep(findings: AccessFindings, before: Step): Step {
  const { sandbox } = findings
  if (sandbox === 'registered') {
    const text =
      'The sandbox’s project is 1. Elsewhere its identifier goes to the operator outside the interface; here one press sends it.'
    return { state: 'open', text, canDo: true }
  }
  if (sandbox !== null || hasWorkingToken(findings) || findings.ticked.project) {
    return { state: 'done', text: 'The operator has it.', canDo: sandbox !== null }
  }
  const text = `Copy the project identifier from the project settings of ${findings.console} and send it to the operator there. Keep it below as well: some requests need it.`
  return { state: before.state === 'done' ? 'open' : 'blocked', text, canDo: false }
}

function grantedStep(findings: AccessFindings, before: Step): Step {
  const { sandbox } = findings
  if (sandbox === 'withdrawn') {
    const text =
      'It was withdrawn. Invoices are still tracked, but the API refuses until access is granted again.'
    return { state: 'open', text, canDo: true }
  }
  if (sandbox === 'granted' || hasWorkingToken(findings)) {
    return { state: 'done', text: 'The API answers.', canDo: sandbox !== null }
  }
  if (before.state !== 'done') {
    return { state: 'blocked', text: 'Follows once the operator has the project.', canDo: false }
  }
  if (sandbox !== null) {
    const text = 'The operator verifies the project. On the sandbox that is you: grant it.'
    return { state: 'waiting', text, canDo: true }
  }
  if (findings.token === 'no-access') {
    const text =
      'The gateway knows the token and does not allow it invoices: access was not granted yet, or withdrawn. Ask the operator.'
    return { state: 'waiting', text, canDo: false }
  }
  if (findings.ticked.granted) {
    return { state: 'done', text: 'You have said so. The token will show it.', canDo: false }
  }
  const text =
    'The operator verifies the project and grants access. Tick this when it is done; a token that works ticks it by itself.'
  return { state: 'waiting', text, canDo: false }
}

function applicationStep(findings: AccessFindings, before: Step): Step {
  const { application, canManage } = findings
  if (application !== null) {
    const to = formatFriendly(application.recipient, {
      bounceable: false,
      testOnly: findings.testOnly,
    })
    return { state: 'done', text: `${application.name}, paid to ${to}.`, canDo: canManage }
  }
  if (findings.wantsAppId) {
    const text = `The gateway lists invoices only to requests that name the application. Copy its number from ${findings.console} and enter it as App id.`
    return { state: 'open', text, canDo: false }
  }
  if (hasWorkingToken(findings) && !findings.showsApplication) {
    const text = `There is one, since the token is its. The gateway does not show it to a token: see it on ${findings.console}.`
    return { state: 'done', text, canDo: false }
  }
  const recipient =
    findings.kind === 'sandbox'
      ? 'any wallet of yours, the merchant’s for one'
      : 'a wallet that has sent at least one transaction'
  const what = `Register whom invoices are issued by, and the address that is paid to: ${recipient}.`
  if (before.state !== 'done') return { state: 'blocked', text: what, canDo: false }
  if (findings.token === 'untried') {
    return { state: 'unknown', text: 'The gateway could not be asked.', canDo: false }
  }
  if (canManage) return { state: 'open', text: what, canDo: true }
  const where =
    findings.sandbox === null
      ? ` It is done in the invoices section of ${findings.console}.`
      : ' The sandbox does not answer to its token now.'
  return { state: 'open', text: `${what}${where}`, canDo: false }
}

function tokenStep(findings: AccessFindings, before: Step): Step {
  const where =
    findings.sandbox === null
      ? `Copy it from the invoices section of ${findings.console} and give it here: it goes to the keychain.`
      : 'Rotate it here.'
  switch (findings.token) {
    case 'good':
      return {
        state: 'done',
        text:
          findings.sandbox === null
            ? 'Kept in the keychain, and the gateway takes it.'
            : 'It was created with the access. The sandbox keeps it; the app has it in memory only.',
        canDo: true,
      }
    case 'refused':
      return {
        state: 'open',
        text: `The gateway does not take the one that is kept: it may have been rotated elsewhere. ${where}`,
        canDo: true,
      }
    case 'no-access':
      return {
        state: 'done',
        text: 'The gateway knows it, but does not allow it invoices.',
        canDo: true,
      }
    case 'lost':
      return {
        state: 'open',
        text: `The keychain does not have it any more. ${where}`,
        canDo: true,
      }
    case 'untried':
      return { state: 'unknown', text: 'It is kept, and could not be tried.', canDo: true }
    case 'none':
      if (findings.sandbox === 'withdrawn') {
        return { state: 'blocked', text: 'It works again with the access.', canDo: false }
      }
      if (findings.sandbox !== null) {
        return { state: 'blocked', text: 'Created by itself once access is granted.', canDo: false }
      }
      return {
        state: 'open',
        text:
          before.state === 'done'
            ? `It was created with the access. ${where}`
            : `It is created by itself once access is granted. ${where}`,
        canDo: true,
      }
  }
}

function webhookStep(findings: AccessFindings, application: Step, token: Step): Step {
  const isHere = findings.application?.webhooks.some((webhook) => webhook.isHere) ?? false
  if (isHere) {
    return {
      state: 'done',
      text: 'Changes of status come to this receiver.',
      canDo: findings.canManage,
    }
  }
  if (findings.application !== null && findings.canManage) {
    const text = 'Without one, changes are learnt when the list is read: add this receiver.'
    return { state: 'open', text, canDo: true }
  }
  if (findings.sandbox !== null) {
    const text =
      'One press adds this receiver once there is an application; without it, changes are learnt when the list is read.'
    return { state: token.state === 'unknown' ? 'unknown' : 'blocked', text, canDo: false }
  }
  const text = `Add this receiver’s URL on the Overview page of the invoices section of ${findings.console}. Whether it is there cannot be told from here; without it, changes are learnt when the list is read.`
  if (token.state === 'unknown') return { state: 'unknown', text, canDo: false }
  return { state: application.state === 'done' ? 'unknown' : 'blocked', text, canDo: false }
}

export type AccessFindings = {
  readonly kind: NetworkKind
  readonly console: string
  readonly receiverUrl: string
  readonly sandbox: SandboxAccess | null
  readonly ticked: {
    readonly account: boolean
    readonly project: boolean
    readonly granted: boolean
  }
  readonly token:
    | 'none'
    /** The keychain does not have it any more. */
    | 'lost'
    | 'good'
    | 'refused'
    | 'no-access'
    | 'untried'
  readonly application: InvoiceApplication | null
  readonly showsApplication: boolean
  readonly wantsAppId: boolean
  readonly canManage: boolean
  readonly testOnly: boolean
}

export type TokenCheck = {
  readonly token: Extract<AccessFindings['token'], 'good' | 'refused' | 'no-access' | 'untried'>
  readonly application: ApplicationAnswer | null
  readonly showsApplication: boolean
  readonly wantsAppId: boolean
  readonly problem: string | null
}

/** No invoice has this id, so a valid token gets 404. */
const unknownInvoice = '00000000'

/** @throws any error that is no AppError */
export async function checkToken(
  client: InvoicesClient,
  { app, project }: { readonly app: ApplicationId; readonly project: string | null },
  asking: Asking,
): Promise<TokenCheck> {
  const nothing = { application: null, showsApplication: false, wantsAppId: false, problem: null }
  const untried = (message: string) => ({ ...nothing, token: 'untried' as const, problem: message })
  let isAbsent = false
  const good = async () => {
    const wantsAppId = app === null && (await refusesToList(client, asking))
    return { ...nothing, token: 'good' as const, showsApplication: isAbsent, wantsAppId }
  }
  try {
    const application = await client.application(project, asking)
    return { ...nothing, token: 'good', application, showsApplication: true }
  } catch (error) {
    const { kind, message } = readRefusal(error)
    if (kind === 'passing') return untried(message)
    // 404 means that no application is registered; other refusals mean that tokens cannot see it.
    isAbsent = (error as AppError).code === gatewayCodes.notFound
  }
  try {
    await client.get(unknownInvoice, asking)
    return await good()
  } catch (error) {
    const { message } = readRefusal(error)
    switch ((error as AppError).code) {
      case gatewayCodes.notFound:
      case gatewayCodes.refused:
        return good()
      case gatewayCodes.keyRefused:
        return { ...nothing, token: 'refused' }
      case gatewayCodes.forbidden:
        return { ...nothing, token: 'no-access' }
      default:
        return untried(message)
    }
  }
}

async function refusesToList(client: InvoicesClient, asking: Asking): Promise<boolean> {
  try {
    await client.list({ limit: 1 }, null, asking)
    return false
  } catch (error) {
    return ((error as AppError).data as TroubleData | undefined)?.wantsAppId === true
  }
}
