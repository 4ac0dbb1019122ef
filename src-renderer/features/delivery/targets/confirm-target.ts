import type { TargetVerdict } from '../../../../src-preload/contract/target.ts'
import { request } from '../../../app/bridge.ts'
import { confirm } from '../../../ui/confirm.tsx'
import { confirmedHosts } from './confirmed.ts'

/**
 * Asks a person for a host that is not this computer, naming it; rests on Cancel. The yes is kept.
 * @throws AppError when it could not be kept
 */
export async function confirmTarget(
  { host, url, addresses }: TargetVerdict,
  what: string,
): Promise<boolean> {
  const at = addresses.length === 0 ? '' : ` It is at ${addresses.join(', ')} now.`
  const yes = await confirm({
    title: `Send to ${host}?`,
    detail: `${what} would leave this computer for ${url}, with what they hold: accounts, amounts and the tokens they came with.${at} Tondesk keeps your yes for this host until you take it back under Forwarding.`,
    action: `Send to ${host}`,
    destructive: true,
  })
  if (!yes) return false
  await request('target.confirm', { host })
  await confirmedHosts.reload()
  return true
}
