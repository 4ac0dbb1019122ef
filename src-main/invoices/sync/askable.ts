import type { Network } from '../../../src-preload/contract/network.ts'

/** Why the invoices of a network cannot be asked for, with the way out; null when they can. Pure. */
export function whyNotAsked(network: Network): string | null {
  const { name, kind, problem, urls, secrets } = network
  if (problem !== null) return problem
  if (urls === null) return `${name} has no address yet.`
  if (urls.console === null) {
    return `${name} has no address for invoices. Choose a network that has one.`
  }
  if (kind === 'sandbox' || secrets.invoices?.present === true) return null
  return secrets.invoices === null
    ? `There is no token for the invoices of ${name}. Add it under Invoices › Access.`
    : `The token for the invoices of ${name} is not in the keychain any more. Add it again under Invoices › Access.`
}
