/** The part of the address bar that belongs to the setup guide of a network. */
import type { NetworkId } from '../../src-preload/contract/network.ts'
import { formatLink } from './link.ts'

/** In the order in which they are done. */
export const setupSteps = [
  'key',
  'tunnel',
  'webhook',
  'accounts',
  'invoices',
  'code',
  'delivery',
] as const
export type SetupStep = (typeof setupSteps)[number]

/** `network` is the one its link was made on; `step` is null for the first one that is not done. */
export type SetupRoute = {
  readonly page: 'setup'
  readonly network: NetworkId | null
  readonly step: SetupStep | null
}

export const setupHome: SetupRoute = { page: 'setup', network: null, step: null }

/** @param parts what follows `overview/setup` @returns null for an unknown path */
export function parseSetup(
  [part = '']: readonly string[],
  search: URLSearchParams,
): SetupRoute | null {
  const step = setupSteps.find((each) => each === part) ?? null
  if (step === null && part !== '') return null
  return { page: 'setup', network: search.get('network'), step }
}

export function formatSetupRoute({ network, step }: SetupRoute): string {
  return formatLink(['overview', 'setup', step], { network })
}
