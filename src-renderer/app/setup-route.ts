/** Parses the part of the address bar for the setup guide of a network. */
import type { NetworkId } from '../../src-preload/contract/network.ts'
import { formatLink } from './link.ts'

/** The steps in their order. */
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

/** `network` is the network of the link; `step` is null for the first step that is not done. */
export type SetupRoute = {
  readonly page: 'setup'
  readonly network: NetworkId | null
  readonly step: SetupStep | null
}

export const setupHome: SetupRoute = { page: 'setup', network: null, step: null }

/** @param parts the path after `overview/setup` @returns null for an unknown path */
export function parseSetup(
  [part = '']: readonly string[],
  search: URLSearchParams,
): SetupRoute | null {
  const step = setupSteps.find((each) => each === part) ?? null
  if (step === null && part !== '') return null
  return { page: 'setup', network: search.get('network'), step }
}

export const formatSetupRoute = ({ network, step }: SetupRoute): string =>
  formatLink(['overview', 'setup', step], { network })
