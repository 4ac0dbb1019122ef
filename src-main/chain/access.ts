import type { NetworkId } from '../../src-preload/contract/network.ts'
import type { AppContext } from '../app/context.ts'
import type { FiatCurrency } from '../../src-preload/domain/fiat.ts'
import { AppError } from '../../src-preload/domain/app-error.ts'
import { chainCodes, gatewayCodes, networkCodes } from '../../src-preload/domain/error-codes.ts'

type ChainAccess = Pick<AppContext['access'], 'query' | 'interest' | 'invoices'> & {
  info(network: NetworkId): Omit<ReturnType<AppContext['access']['info']>, 'id'>
}

export type ExplorerContext = Pick<
  AppContext,
  'database' | 'labels' | 'labelsOf' | 'nameAccount' | 'now'
> & {
  readonly access: ChainAccess
  readonly settings: Pick<AppContext['settings'], 'get'>
  readonly events: Pick<AppContext['events'], 'emit'>
}

/** The currency in which the explorer values coins and jettons. */
export const shownCurrency = ({ settings }: Pick<ExplorerContext, 'settings'>): FiatCurrency =>
  settings.get().reports.fiatCurrency ?? 'USD'

const reasons: ReadonlySet<string> = new Set([
  gatewayCodes.unreachable,
  gatewayCodes.timeout,
  gatewayCodes.keyRefused,
  gatewayCodes.forbidden,
  gatewayCodes.rateLimited,
  gatewayCodes.failed,
  gatewayCodes.badAnswer,
  networkCodes.unavailable,
])

/**
 * The message of an error that only means that the gateway is unreachable, so that stored data may be
 * shown; else null.
 */
export const offlineReason = (error: unknown): string | null =>
  error instanceof AppError && reasons.has(error.code) ? error.message : null

export const isRefusal = ({ code }: AppError): boolean =>
  code === gatewayCodes.notFound || code === gatewayCodes.refused

export const isNotFound = (error: unknown): boolean =>
  error instanceof AppError && error.code === gatewayCodes.notFound

/** Explains that the gateway does not know an account; returns other errors unchanged. */
export function explainNotFound(
  { access }: Pick<ExplorerContext, 'access'>,
  network: NetworkId,
  error: unknown,
): unknown {
  if (!isNotFound(error)) return error
  const message = `${access.info(network).name} does not have this account. If the account is on another network, choose that network.`
  return new AppError(chainCodes.notFound, message, { cause: error })
}

/** @returns whether the gateway does not have the requested operation */
export function isMissing(error: unknown): error is AppError {
  if (!(error instanceof AppError)) return false
  const { status } = (error.data ?? {}) as { readonly status?: number }
  return status === 404 || status === 405 || status === 501
}

/** The service fails with 500 for a message with two transactions (gateway-facts 1.1). */
export const isAmbiguous = (error: unknown): boolean =>
  error instanceof AppError && error.message.includes('too many entities')

/** Replaces an error by null if the gateway does not know the object or refuses the request as invalid. */
export const unlessRefused = <T>(request: Promise<T>): Promise<T | null> =>
  unless(request, (error) => error instanceof AppError && isRefusal(error))

/** Replaces an error by null if the gateway does not have the object. */
export const unlessNotFound = <T>(request: Promise<T>): Promise<T | null> =>
  unless(request, isNotFound)

const unless = <T>(request: Promise<T>, isNone: (error: unknown) => boolean): Promise<T | null> =>
  request.catch((error: unknown) => {
    if (isNone(error)) return null
    throw error
  })
