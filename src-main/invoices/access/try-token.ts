/** What a token may do, found out by questions that change nothing. */
import type { AppError } from '../../../src-preload/domain/app-error.ts'
import { gatewayCodes } from '../../../src-preload/domain/error-codes.ts'
import type { ApplicationAnswer } from '../../gateway/invoice-answers.ts'
import type { ApplicationId, InvoicesClient } from '../../gateway/invoices.ts'
import type { Asking } from '../../gateway/query.ts'
import type { TroubleData } from '../../gateway/trouble.ts'
import { readRefusal } from '../../jobs/refusal.ts'
import type { Seen } from './seen.ts'

export type Tried = {
  readonly token: Extract<Seen['token'], 'good' | 'refused' | 'no-access' | 'untried'>
  /** Null: there is none, or it is not shown. */
  readonly application: ApplicationAnswer | null
  /** The gateway answers for applications to this token. */
  readonly showsApplication: boolean
  /** The gateway lists nothing unless a request names the application, whose id is not known here. */
  readonly wantsAppId: boolean
  /** Why it could not be asked; null when it answered. */
  readonly problem: string | null
}

/** Of no invoice: a token that works is told that there is none. */
const nobody = '00000000'

/** @throws what is no AppError */
export async function tryToken(
  client: InvoicesClient,
  { app, project }: { readonly app: ApplicationId; readonly project: string | null },
  asking: Asking,
): Promise<Tried> {
  const tried = { application: null, showsApplication: false, wantsAppId: false, problem: null }
  const untried = (message: string) => ({ ...tried, token: 'untried' as const, problem: message })
  let isAbsent = false
  const good = async () => {
    const wantsAppId = app === null && (await refusesToList(client, asking))
    return { ...tried, token: 'good' as const, showsApplication: isAbsent, wantsAppId }
  }
  try {
    const application = await client.application(project, asking)
    return { ...tried, token: 'good', application, showsApplication: true }
  } catch (error) {
    const { kind, message } = readRefusal(error)
    if (kind === 'passing') return untried(message)
    // None registered; else the token may be good and this not for tokens.
    isAbsent = (error as AppError).code === gatewayCodes.notFound
  }
  try {
    await client.get(nobody, asking)
    return await good()
  } catch (error) {
    const { message } = readRefusal(error)
    switch ((error as AppError).code) {
      // That one is not there, or is no id: both are said to those who may ask.
      case gatewayCodes.notFound:
      case gatewayCodes.refused:
        return good()
      case gatewayCodes.keyRefused:
        return { ...tried, token: 'refused' }
      case gatewayCodes.forbidden:
        return { ...tried, token: 'no-access' }
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
    // What else the list may fail by is said where it is read.
    return ((error as AppError).data as TroubleData | undefined)?.wantsAppId === true
  }
}
